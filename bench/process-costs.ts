import { type ChildProcess, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { openDatabase } from '@tallystick/database'

export type StatementCounter = {
  /** Returns the statements per second that other connections sent to the database during some work. */
  perSecond(work: () => Promise<void>): Promise<number>
  /** Returns the open connections to the database, without that of the counter. */
  connections(): Promise<number>
  close(): Promise<void>
}

// All cores are busy while a load ends.
const connectSeconds = '30'

/** Counts the statements of a database. Its server must have loaded `pg_stat_statements`. */
export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const patientUrl = new URL(databaseUrl)
  patientUrl.searchParams.set('connect_timeout', connectSeconds)
  const database = await openDatabase(patientUrl.href)
  await database.query('create extension if not exists pg_stat_statements')
  const ofThisDatabase = 'dbid = (select oid from pg_database where datname = current_database())'
  const readCalls = async () => {
    const [row] = await database.query<{ calls: number }>(
      `select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements
       where ${ofThisDatabase} and query not like '%pg_stat_statements%'`,
    )
    return row?.calls ?? 0
  }
  return {
    perSecond: async (work) => {
      const [before, startedAt] = [await readCalls(), performance.now()]
      await work()
      return (await readCalls().then((after) => after - before)) / ((performance.now() - startedAt) / 1000)
    },
    connections: async () => {
      const [row] = await database.query<{ connections: number }>(
        `select count(*)::int as connections from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      )
      return row?.connections ?? 0
    },
    close: () => database.close(),
  }
}

/** Returns the processor time that a process has used. Outside of Linux it is in whole seconds. */
export function readProcessorSeconds({ pid }: ChildProcess): number {
  if (process.platform === 'linux') return readStat(Number(pid))?.seconds ?? 0
  const parts = String(execFileSync('ps', ['-o', 'time=', '-p', String(pid)]))
    .trim()
    .split(/[-:]/)
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0)
}

/** Returns the processor time that a database server has used, that of its ended processes included. On Linux only. */
export async function openServerCosts(databaseUrl: string): Promise<() => number> {
  const database = await openDatabase(databaseUrl)
  const [row] = await database.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
  const postmaster = readStat(row?.pid ?? 0)?.parent ?? 0
  await database.close()
  return () => {
    const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
    const own = stats.filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    const ended = own.find(({ pid }) => pid === postmaster)?.endedSeconds ?? 0
    return own.reduce((sum, { seconds }) => sum + seconds, ended)
  }
}

type ProcessStat = {
  readonly pid: number
  readonly parent: number
  readonly seconds: number
  /** Processor time of its ended children. */
  readonly endedSeconds: number
}

const ticksPerSecond = 100

function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in parentheses, which may contain spaces. The 4th is the parent, the 14th to 17th are
    // user and system time of the process and of its ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / ticksPerSecond)
    const [seconds, endedSeconds] = [(user ?? 0) + (system ?? 0), (endedUser ?? 0) + (endedSystem ?? 0)]
    return { pid, parent: Number(fields[1]), seconds, endedSeconds }
  } catch {
    // The process has ended.
    return undefined
  }
}
