import { type ChildProcess, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

const ticksPerSecond = 100

/** Returns the processor time that a process has used. Outside of Linux it is in whole seconds. */
export function readProcessorSeconds({ pid }: ChildProcess): number {
  if (process.platform === 'linux') {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in parentheses, which may contain spaces. The 14th and 15th are user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  }
  const parts = String(execFileSync('ps', ['-o', 'time=', '-p', String(pid)]))
    .trim()
    .split(/[-:]/)
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0)
}
