import { createHmac, randomBytes } from 'node:crypto'
import { createBackgroundWork, repeat, runOneAtATime, type Time } from '@tallystick/base'
import type { Database, Migration } from '@tallystick/database'
import type { Logger } from 'pino'
import type { VisitorSecret } from './visitor-token.ts'

/** The secrets that sign visitor tokens, the same on all replicas. */
export type VisitorSecrets = {
  /** Returns the secret that signs new tokens. */
  newest(): VisitorSecret
  /** Returns a secret, after reading the database again if it is unknown. Undefined if there is none. */
  find(id: string): VisitorSecret | Promise<VisitorSecret | undefined>
  /** Returns a text by which replicas know an address without storing it. */
  pseudonymOf(address: string): string
  close(): Promise<void>
}

export const visitorMigrations: readonly Migration[] = [
  {
    name: 'visitor secrets',
    statements: [
      `create table visitor_secrets (
         id text primary key, secret bytea not null, created_at timestamptz not null default clock_timestamp())`,
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: ['drop table visitor_secrets'],
    loses: 'the secrets of visitor tokens: open pages get new tokens',
  },
]

// A deleted secret is refused, and a new one signs, after this time at the latest.
const readMs = 10_000
// Texts that name unknown secrets cause at most one statement in this time.
const unknownMs = 1_000
// Enough for rotations that overlap. Further ones are ignored.
const secretsMax = 8

type SecretsOptions = {
  readonly database: Pick<Database, 'query'>
  readonly time: Pick<Time, 'monotonic' | 'setTimer'>
  readonly log: Logger
}

/** Reads the secrets and creates the first one. Reads them again, so that another replica's or an operator's change is known. */
export async function openVisitorSecrets({ database, time, log }: SecretsOptions): Promise<VisitorSecrets> {
  let secrets: readonly VisitorSecret[] = []
  let lookedAtMs = Number.NEGATIVE_INFINITY
  const read = runOneAtATime(async () => {
    secrets = await readSecrets(database)
  })
  await read()
  const { run, stop } = createBackgroundWork(read, (error) =>
    log.warn({ err: error }, 'secrets of visitors not read; keeping those in memory'),
  )
  const timer = repeat(time, { name: 'visitor secrets', ms: readMs }, run)
  const known = (id: string) => secrets.find((secret) => secret.id === id)
  const newest = () => secrets[0] as VisitorSecret
  return {
    newest,
    find: (id) => {
      const found = known(id)
      if (found || time.monotonic() - lookedAtMs < unknownMs) return found ?? Promise.resolve(undefined)
      lookedAtMs = time.monotonic()
      return run().then(() => known(id))
    },
    pseudonymOf: (address) => createHmac('sha256', newest().secret).update(`address\n${address}`).digest('base64url'),
    close: () => {
      timer.stop()
      return stop()
    },
  }
}

/** Reads the secrets, newest first. If there is none, for example after a restore, it creates one. */
async function readSecrets(database: SecretsOptions['database']): Promise<readonly VisitorSecret[]> {
  const read = () =>
    database.query<VisitorSecret>(
      `select id, secret from visitor_secrets where octet_length(secret) = 32 order by created_at desc, id limit $1`,
      [secretsMax],
    )
  const found = await read()
  if (found.length > 0) return found
  // Two replicas may each add one. Both then accept both.
  const created = { id: randomBytes(8).toString('hex'), secret: randomBytes(32) }
  await database.query('insert into visitor_secrets (id, secret) values ($1, $2)', [created.id, created.secret])
  const all = await read()
  // It may have been deleted again. The next read notices that.
  return all.length > 0 ? all : [created]
}
