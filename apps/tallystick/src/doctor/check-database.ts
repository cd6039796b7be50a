import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import { liveSeconds } from '@tallystick/keys'
import {
  apiMigrations,
  type Config,
  countConnections,
  createOperator,
  describeNewer,
  type IssueReports,
  readSchema,
  type SchemaReading,
} from '@tallystick/service'
import { listReplicas } from '../schema/database-report.ts'
import type { RunningService, ServiceProbe } from './find-service.ts'
import type { Findings } from './findings.ts'

export type DatabaseState = {
  /** How far the server's clock is ahead of this machine's; undefined if the database is embedded. */
  readonly offsetMs?: number | undefined
  readonly reports?: IssueReports | undefined
  /** Whether the database has no data. */
  readonly isEmpty?: boolean | undefined
  /** Why there are no reports although the database can be read. */
  readonly unread?: string | undefined
}

const noTables = 'the database has no tables yet'

type DatabaseCheckContext = { readonly config: Config; readonly service: ServiceProbe; readonly clock: Clock }

/** Checks connection and schema. Creates and migrates nothing. */
export async function checkDatabase(
  findings: Findings,
  { config, service, clock }: DatabaseCheckContext,
): Promise<DatabaseState> {
  const url = config.database.reveal()
  const isEmbedded = url.startsWith('file:')
  if (isEmbedded && service.state === 'running') return askService(findings, service)
  const directory = url.replace(/^file:(\/\/)?/, '')
  if (isEmbedded && !existsSync(join(directory, 'PG_VERSION'))) {
    findings.warn('reachable', `there is no embedded database in ${directory} yet`, 'The first start creates it.')
    return { isEmpty: true, unread: noTables }
  }
  try {
    const database = await openDatabase(url)
    try {
      return await examine(database, { findings, config, clock })
    } finally {
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error
    findings.fail('reachable', error.message, adviceOf(error))
    return {}
  }
}

/** Uses the service's own check, because only one process can open the embedded database. */
async function askService(findings: Findings, service: RunningService): Promise<DatabaseState> {
  const readiness = await service.readReadiness()
  const own = readiness.findings.find(({ subject }) => subject.startsWith('embedded database'))
  const message = `${own?.subject ?? 'the embedded database'} is open in the running service: ${own?.message ?? 'no status reported'}`
  if (own && own.severity !== 'ok') {
    findings.fail('reachable', message, 'Check the service’s log and the free disk space.')
  } else findings.ok('reachable', message)
  return {}
}

async function examine(
  database: Database,
  { findings, config, clock }: Omit<DatabaseCheckContext, 'service'> & { readonly findings: Findings },
): Promise<DatabaseState> {
  const startedAtMs = clock.now()
  const [row] = await database.query<{ version: string; now_ms: number }>(
    `select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`,
  )
  const endedAtMs = clock.now()
  const { version, now_ms: nowMs } = row as { version: string; now_ms: number }
  findings.ok('reachable', `${database.label} answers in ${endedAtMs - startedAtMs} ms, version ${version}`)
  const offsetMs = database.engine === 'postgres' ? nowMs - (startedAtMs + endedAtMs) / 2 : undefined
  const schema = await checkMigrations(findings, database)
  await checkConnections(findings, { database, config })
  if (schema === 'empty') return { offsetMs, isEmpty: true, unread: noTables }
  if (schema !== 'current') return { offsetMs, unread: 'the schema of the database is not the one of this version' }
  const latestNow = async () => clock.now() + Math.max(0, offsetMs ?? 0)
  const operator = createOperator({ database, config, clock, latestNow })
  const [notes, curve] = [await operator.showNotes(), await operator.showCurve()]
  const log = config.log && (await operator.showLog())
  const audit = await operator.checkAudit()
  return { offsetMs, reports: { notes, curve, hooks: await operator.listHooks(), log, audit } }
}

/** Checks that the schema is the one of this version. */
async function checkMigrations(findings: Findings, database: Database): Promise<SchemaReading['state']> {
  const { state, unknown, blocking, missing } = await readSchema(database)
  if (blocking !== undefined) {
    const found = `it has the migration "${blocking}" of a newer version`
    findings.fail('schema', found, 'Run the version that applied it, or a later one.')
    return 'newer'
  }
  if (unknown.length > 0) {
    const advice = 'Finish the upgrade, or take it back with `tallystick database revert`.'
    findings.warn('schema', describeNewer(unknown), advice)
    return 'current'
  }
  if (missing.length === 0) {
    findings.ok('schema', `all ${apiMigrations.length} migrations are applied`)
    return 'current'
  }
  const found = state === 'empty' ? 'it is empty' : `the migrations ${missing.join(', ')} are not applied`
  const advice =
    state === 'empty'
      ? 'The first start of the service creates its tables.'
      : 'The next start of the service applies them.'
  findings.warn('schema', found, advice)
  return state
}

function adviceOf({ code }: TallystickError): string {
  if (code === 'database_in_use') return 'Stop that process, or use the configuration of the service that runs there.'
  return 'Check that the server runs, and the host, name, user and password of "database" in the configuration.'
}

// For the command line, a rebuild of an index and cancelled statements.
const spare = 10

/** Checks that PostgreSQL accepts as many connections as its replicas may open. */
async function checkConnections(
  findings: Findings,
  { database, config }: { readonly database: Database; readonly config: Config },
): Promise<void> {
  if (database.engine !== 'postgres') return
  const allowed = await readAllowed(database)
  // A replica that ended without a shutdown has no connections.
  const replicas = (await listReplicas(database)).filter(({ secondsSinceSeen }) => secondsSinceSeen < liveSeconds)
  const count = Math.max(replicas.length, 1)
  const each = countConnections(config)
  const needed = count * each + spare
  const found = `${count} ${count === 1 ? 'replica' : 'replicas'} with up to ${each} connections and ${spare} more need ${needed}, this user may open ${allowed}`
  if (needed <= allowed) findings.ok('connections', found)
  else findings.warn('connections', found, 'Raise max_connections of PostgreSQL, or the limit of its database or user.')
}

/** Reads the lowest limit for the present user. Reserved connections are for superusers and, from PostgreSQL 16, a role. */
async function readAllowed(database: Database): Promise<number> {
  const [row] = await database.query<{ allowed: number }>(
    `select least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int,
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
       (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as allowed`,
  )
  return row?.allowed ?? 0
}
