import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Clock, ShiftableTime } from '@tallystick/base'
import { type NotesResponse, notesResponseSchema } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { createLogKeyText } from '@tallystick/public-log'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { type Answer, type SendOptions, sendRequest } from '@tallystick/workbench/send-request'
import { createTestDatabase, type DatabaseEngine, type DatabaseTemplate } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { inject, onTestFinished } from 'vitest'
import { atMost, createTestTime, faster, type TestTime, type TestTimeOptions } from '../../base/test/test-time.ts'
import { createOperator, type Operator } from '../src/admin/operator.ts'
import { type Config, parseConfig } from '../src/config/config.ts'
import { apiMigrations } from '../src/database/migrations.ts'
import { openServiceDatabase } from '../src/database/service-database.ts'
import type { ServiceOptions } from '../src/service-context.ts'
import { startService } from '../src/start-service.ts'

export const signerKey = `0x${'01'.repeat(32)}`
export const signerAddress = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
/** Key of the log `notes.example/log`. */
export const logKey = createLogKeyText('notes.example/log')
export const adminToken = 'an-admin-token-for-tests'
export const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
export const chain324 = { id: 324, name: 'zkSync Era', pool }
export const coupons = { 7: 369, 14: 365, 30: 362 }

export type TestService = {
  readonly baseUrl: string
  readonly adminUrl: string
  readonly ca: string
  readonly clock: TestTime
  readonly config: Config
  readonly directory: string
  /** Every line the service logged. */
  readonly log: () => string
  /** Works on the same database, beside the service. */
  readonly operator: Operator
  readonly database: Database
  call(path: string, options?: SendOptions): Promise<Answer>
  admin(path: string, options?: SendOptions): Promise<Answer>
  stop(): Promise<void>
}

export type Setting = {
  /** What the service's clock is held at; it stands until `clock.run()`. */
  readonly at?: string
  readonly databaseUrl: string
  readonly config?: Readonly<Record<string, unknown>>
  /** Bps by tenor; null sets none. */
  readonly curve?: Readonly<Record<string, number>> | null
  readonly portal?: ServiceOptions['portal']
  readonly prebuiltWriter?: ServiceOptions['prebuiltWriter']
  /** What the database's clock says, if not what the service's does. */
  readonly databaseClock?: Clock
  /** By default `shortWaits`. The test's own come on top of them. */
  readonly time?: TestTimeOptions
  /** By default no `rate` and `status` events are appended: they read upstreams that tests count requests of. */
  readonly hasStateEvents?: boolean
  readonly limits?: ServiceOptions['limits']
  /** Connection of the service, in place of its own. */
  readonly database?: Database
  /** More variables for the secrets of the configuration. */
  readonly env?: Readonly<Record<string, string>>
}

/** Takes what has to be undone later; the last taken is undone first. */
export type Defer = (undo: () => unknown) => void

/** For what several tests share: `beforeAll` returns `finish`. */
export function createDeferrals(): { readonly defer: Defer; readonly finish: () => Promise<void> } {
  const undos: (() => unknown)[] = []
  return {
    defer: (undo) => undos.push(undo),
    finish: async () => {
      for (const undo of undos.reverse()) await undo()
    },
  }
}

// Migrating a database takes longer than copying one that is migrated.
const migratedTemplate: DatabaseTemplate = {
  name: createHash('sha256').update(JSON.stringify(apiMigrations)).digest('hex').slice(0, 16),
  prepare: async (url) => {
    const database = await openServiceDatabase(url, () => undefined)
    await database.close()
  },
}

/** Creates a migrated database without rows. It is removed when the test is over. */
export async function newDatabase(
  engine: DatabaseEngine = 'postgres',
  defer: Defer = onTestFinished as Defer,
): Promise<string> {
  const { url, remove } = await createTestDatabase(engine, inject('databases'), migratedTemplate)
  defer(remove)
  return url
}

/** Creates a database without tables. It is removed when the test is over. */
export async function newEmptyDatabase(engine: DatabaseEngine = 'postgres'): Promise<string> {
  const { url, remove } = await createTestDatabase(engine, inject('databases'))
  onTestFinished(remove)
  return url
}

/** Waits 50 times as short as in production, so that nothing waits for a second. */
export const shortWaits = {
  clocks: faster(50),
  issuing: faster(50),
  'issuing retry': faster(50),
  'Treasury rates': faster(50),
  'Treasury retry': faster(50),
  'public log': faster(50),
  'rows of the log': faster(50),
  'signer protection': faster(50),
  'notes events': atMost(20),
  'state events': faster(50),
}

const ownTls = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } }

const authority = createCertificateAuthority()
/** Trusts the certificate of every service. Shared, because with `ca` each connection would parse the certificate again. */
export const secureContext = createSecureContext({ ca: authority.cert })
const server = authority.issue(['localhost', '127.0.0.1'])

let smallPage: string | undefined

/** A page and a console of one line each. The built ones are 2 MB, and a service reads and hashes them when it starts. */
function findSmallPage(): string {
  if (smallPage) return smallPage
  smallPage = mkdtempSync(join(tmpdir(), 'tallystick-page-'))
  for (const directory of [smallPage, join(smallPage, 'console')]) {
    mkdirSync(join(directory, 'assets'), { recursive: true })
    writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Tallystick</title>')
  }
  return smallPage
}

/** Everything a service needs on disk and in its configuration, but nothing started. */
export async function prepare({ databaseUrl, config: overrides, env: more }: Setting) {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-api-'))
  await writeFile(join(directory, 'cert.pem'), server.cert)
  await writeFile(join(directory, 'key.pem'), server.key, { mode: 0o600 })
  const settings = {
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: databaseUrl,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    tenors: [7, 14, 30],
    chains: [chain324],
    ...overrides,
    // No test but those of the lame duck waits for it.
    listen: { lameDuckSeconds: 0, ...(overrides?.['listen'] ?? ownTls) },
  }
  const env = { ADMIN_TOKEN: adminToken, SIGNER_KEY: signerKey, LOG_KEY: logKey, ...more }
  const config = parseConfig(settings, { path: 'test', env, secrets: 'required', baseDirectory: directory })
  return { directory, authority, settings, config, env }
}

/** The whole service on real ports, in this process, so that its clock can be moved. Stops when the test is over. */
export async function start(setting: Setting, defer: Defer = onTestFinished as Defer): Promise<TestService> {
  const { directory, config } = await prepare(setting)
  const { waits, ...own } = setting.time ?? {}
  const clock = createTestTime({ ...own, waits: { ...shortWaits, ...waits } })
  if (setting.at) clock.hold(Date.parse(setting.at))
  const opened = await openServiceDatabase(config.database.reveal(), () => undefined)
  await seed(opened, { setting, config, clock })
  // The embedded database is open once; on PostgreSQL the tests have connections of their own.
  const beside = opened.engine === 'pglite' ? undefined : opened
  const { portal, prebuiltWriter, limits, hasStateEvents = false } = setting
  const database = beside ? setting.database : opened
  const lines: string[] = []
  const log = pino({ level: 'trace', base: null }, { write: (line: string) => lines.push(line) })
  const databaseShiftMs = () => (setting.databaseClock ?? clock).now() - Date.now()
  const say = (line: string) => lines.push(line)
  const options = {
    config,
    time: clock,
    log,
    say,
    database,
    portal: { directory: findSmallPage(), ...portal },
    prebuiltWriter,
    databaseShiftMs,
    limits,
    hasStateEvents,
  }
  const service = await startService(options).catch(async (error) => {
    await opened.close()
    throw error
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= Promise.all([service.stop(), beside?.close()]).then(() => undefined)
    return stopped
  }
  defer(async () => {
    await stop()
    await rm(directory, { recursive: true, force: true })
  })
  const agent = new Agent({ secureContext, keepAlive: true, maxSockets: 64 })
  defer(() => agent.destroy())
  return {
    ...service,
    ca: authority.cert,
    clock,
    config,
    directory,
    log: () => lines.join('\n'),
    get database() {
      if (!beside) throw new Error('look into the database on PostgreSQL')
      return beside
    },
    get operator() {
      if (!beside) throw new Error('use the admin listener on PGlite')
      return createOperator({ database: beside, config, clock })
    },
    call: (path, options) => sendRequest(service.baseUrl + path, { agent, ...options }),
    admin: (path, { headers, ...options } = {}) =>
      sendRequest(service.adminUrl + path, {
        headers: { authorization: `Bearer ${adminToken}`, ...headers },
        ...options,
      }),
    stop,
  }
}

/** A key through the admin listener, as an operator would make it. */
export async function createKey(service: TestService, request: object = {}): Promise<{ id: string; secret: string }> {
  const answer = await service.admin('/keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'test', rpm: null, ...request }),
  })
  const { key, secret } = answer.json()
  return { id: key.id, secret }
}

/** The notes of a good answer, checked against the wire schema. */
export function notesOf(answer: Answer): NotesResponse {
  return notesResponseSchema.parse(answer.json())
}

async function seed(
  database: Database,
  {
    setting: { curve = coupons },
    config,
    clock,
  }: { readonly setting: Setting; readonly config: Config; readonly clock: ShiftableTime },
): Promise<void> {
  const operator = createOperator({ database, config, clock })
  const { history } = await operator.showCurve()
  if (curve && history.length === 0) await operator.setCurve({ points: curve, by: 'test' })
}
