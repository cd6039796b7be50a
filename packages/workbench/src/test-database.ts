import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { copyPgliteTemplate } from './pglite-template.ts'

/** URL of a running server, empty if there is none. */
export type DatabaseSource = { readonly postgresUrl: string }

export type TestDatabase = { readonly url: string; readonly remove: () => Promise<void> }

export const databaseEngines = ['pglite', 'postgres'] as const
export type DatabaseEngine = (typeof databaseEngines)[number]

/** Content of a template database. It is prepared once, then copied. */
export type DatabaseTemplate = {
  /** Lower-case identifier. It changes with the content. */
  readonly name: string
  /** Fills the empty database of a URL and closes it. */
  readonly prepare: (url: string) => Promise<void>
}

/**
 * Creates a database on either engine: a copy of the template, or an empty one without a template. On a machine without
 * PostgreSQL it is always PGlite. Tests that need PostgreSQL itself have the tag `postgres` or `server` and are skipped there.
 */
export async function createTestDatabase(
  engine: DatabaseEngine,
  source: DatabaseSource,
  template?: DatabaseTemplate,
): Promise<TestDatabase> {
  return engine === 'postgres' && source.postgresUrl !== ''
    ? createPostgresDatabase(source.postgresUrl, template)
    : createPgliteDatabase(template)
}

async function createPgliteDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-pglite-'))
  const path = join(directory, 'db')
  await copyPgliteTemplate(
    path,
    template && { name: template.name, make: (draft) => template.prepare(`file:${draft}`) },
  )
  return {
    url: `file:${path}`,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

async function createPostgresDatabase(serverUrl: string, template?: DatabaseTemplate): Promise<TestDatabase> {
  const name = newName()
  await onServer(serverUrl, async (client) => {
    const strategy = await findStrategy(client)
    if (!template) return client.query(`create database ${name} ${strategy}`)
    const copy = `create database ${name} template prepared_${template.name} ${strategy}`
    return client.query(copy).catch(async (error) => {
      if (error.code !== undefinedDatabase) throw error
      await preparePostgres(client, { serverUrl, template })
      return client.query(copy)
    })
  })
  return {
    url: urlOf(serverUrl, name),
    remove: () => onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`)),
  }
}

const undefinedDatabase = '3D000'
// PostgreSQL reports the second code if two renames run at the same time.
const duplicateDatabase = ['42P04', '23505']

/**
 * Returns the clause for a copy of files, which takes a third of the time that a copy through the write-ahead log takes.
 * PostgreSQL 14 has no such clause and always copies files.
 */
async function findStrategy(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ has: boolean }>(
    "select current_setting('server_version_num')::int >= 150000 as has",
  )
  return rows[0]?.has ? 'strategy file_copy' : ''
}

async function preparePostgres(
  client: pg.Client,
  { serverUrl, template: { name, prepare } }: { readonly serverUrl: string; readonly template: DatabaseTemplate },
): Promise<void> {
  const draft = newName()
  await client.query(`create database ${draft}`)
  await prepare(urlOf(serverUrl, draft))
  // Another process may have been faster.
  await client.query(`alter database ${draft} rename to prepared_${name}`).catch(async (error) => {
    if (!duplicateDatabase.includes(error.code)) throw error
    await client.query(`drop database ${draft} with (force)`)
  })
}

function newName(): string {
  return `test_${randomUUID().replaceAll('-', '')}`
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

// One connection for all databases of a process, because a new one takes 10 ms on each side.
const connections = new Map<string, Promise<pg.Client>>()

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const connection = connections.get(url) ?? connect(url)
  connections.set(url, connection)
  await work(await connection)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  // The server may stop before this process does.
  client.on('error', () => connections.delete(url))
  await client.connect()
  const { unref } = client as pg.Client & { readonly unref: () => void }
  unref.call(client)
  return client
}
