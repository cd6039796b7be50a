import { TallystickError } from '@tallystick/core'
import {
  compareReleases,
  type Database,
  databaseTooNew,
  type Migration,
  planRevert,
  type Queryable,
  readMigrations,
  recordAudit,
  revertMigrations,
} from '@tallystick/database'
import { liveSeconds } from '@tallystick/keys'
import { apiSchema } from '@tallystick/service'
import { listReplicas } from './database-report.ts'

/** Migrations that a revert takes back, newest first. */
export type RevertReport = Awaited<ReturnType<typeof revertSchema>>

export type RevertRequest = {
  /** Release whose schema stays. By default the release before the newest migration. */
  readonly to?: string | undefined
  /** Without it, nothing is changed. */
  readonly isConfirmed: boolean
  readonly actor: string
}

const firstRelease = '0.1.0'

/** Takes back the migrations of the newest release. Rejects it while a replica runs that needs them. */
export async function revertSchema(database: Database, request: RevertRequest) {
  const { isConfirmed, actor } = request
  const state = await readMigrations(database, apiSchema)
  const [unknown] = state.unknown
  if (unknown) throw databaseTooNew(database.label, unknown.name)
  const to = request.to ?? findReleaseBefore(state.applied.flatMap(({ since }) => since ?? []))
  const toReport = (undone: readonly Migration[]) => ({
    to,
    reverted: isConfirmed && undone.length > 0,
    migrations: undone.map(({ name, since = '', loses = '' }) => ({ name, since, loses })),
  })
  if (!isConfirmed) return toReport(planRevert(apiSchema, state, to))
  const before = async (transaction: Queryable, undone: readonly Migration[]) => {
    await assertUnused(transaction, { undone, label: database.label })
    const details = { migrations: undone.map(({ name }) => name) }
    await recordAudit(transaction, { actor, action: 'database.revert', subject: to, details })
  }
  return toReport(await revertMigrations(database, apiSchema, { to, before }))
}

/** Returns the release before the newest one of a list. */
function findReleaseBefore(releases: readonly string[]): string {
  const [newest, ...older] = releases.toSorted((a, b) => compareReleases(b, a))
  return older.find((release) => release !== newest) ?? firstRelease
}

/** Rejects the revert while a replica of a release that needs one of the migrations is running. */
async function assertUnused(
  transaction: Queryable,
  { undone, label }: { readonly undone: readonly Migration[]; readonly label: string },
): Promise<void> {
  const users = (await listReplicas(transaction)).filter(
    ({ release, secondsSinceSeen }) =>
      release !== null &&
      secondsSinceSeen <= liveSeconds &&
      undone.some(({ since }) => since !== undefined && compareReleases(release, since) >= 0),
  )
  if (users.length === 0) return
  const names = users.map(({ name, release }) => `${name} (${release})`).join(', ')
  throw new TallystickError({
    code: 'database_in_use',
    message: `The ${label} is in use by replicas that need these migrations: ${names}. Stop them first. A replica that ended without a shutdown counts for ${liveSeconds} s.`,
    retryable: true,
  })
}
