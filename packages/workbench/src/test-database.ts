import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { copyDirectory } from './pglite-template.ts'

/** Where new databases come from: a running server, and a directory of an empty embedded database to copy. */
export type DatabaseSource = { readonly postgresUrl: string; readonly pgliteTemplate: string }

export type TestDatabase = { readonly url: string; readonly remove: () => Promise<void> }

export const databaseEngines = ['pglite', 'postgres'] as const
export type DatabaseEngine = (typeof databaseEngines)[number]

/** A new, empty database on either engine. */
export async function createTestDatabase(engine: DatabaseEngine, source: DatabaseSource): Promise<TestDatabase> {
  if (engine === 'postgres') return createPostgresDatabase(source.postgresUrl)
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-pglite-'))
  const path = join(directory, 'db')
  await mkdir(path)
  await copyDirectory(source.pgliteTemplate, path)
  return {
    url: `file:${path}`,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

async function createPostgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
