import {
  type AppliedMigration,
  auditMigrations,
  type KnownMigrations,
  type Migration,
  type Queryable,
  readMigrations,
} from '@tallystick/database'
import {
  claimMigrations,
  curveMigrations,
  curveProvenanceMigrations,
  noteMigrations,
  proposalMigrations,
} from '@tallystick/issuer'
import {
  auditLeafMigrations,
  hourUsageMigrations,
  keyChangeMigrations,
  keyDeletionMigrations,
  keyLimitMigrations,
  keyMigrations,
  leaseMigrations,
  replicaMigrations,
  replicaReleaseMigrations,
  usageMigrations,
  visitorMigrations,
} from '@tallystick/keys'
import { attemptMigrations, eventMigrations, hookMigrations } from '@tallystick/notify'
import { logMigrations } from '@tallystick/public-log'
import { historyMigrations } from '../history/history-store.ts'
import { release } from '../release.ts'

/**
 * Migrations of the service's schema, in the order of their release. Append new ones at the end, with `since`, `worksWith`,
 * `undo` and `loses`. The rules are in docs/upgrading.md.
 */
export const apiMigrations: readonly Migration[] = [
  ...keyMigrations,
  ...curveMigrations,
  ...noteMigrations,
  ...curveProvenanceMigrations,
  ...auditMigrations,
  ...keyChangeMigrations,
  ...replicaMigrations,
  ...proposalMigrations,
  ...eventMigrations,
  ...logMigrations,
  ...hookMigrations,
  ...historyMigrations,
  ...usageMigrations,
  ...replicaReleaseMigrations,
  ...leaseMigrations,
  ...keyLimitMigrations,
  ...claimMigrations,
  ...keyDeletionMigrations,
  ...auditLeafMigrations,
  ...hourUsageMigrations,
  ...attemptMigrations,
  ...visitorMigrations,
]

/** Schema of the service in this release. */
export const apiSchema: KnownMigrations = { scope: 'api', migrations: apiMigrations, release }

/** State of a database's schema relative to this version. */
export type SchemaReading = Awaited<ReturnType<typeof readSchema>>

/**
 * Reads which migrations are applied, which are `missing`, and which of a newer release are `unknown`, with the first of them
 * that this version cannot run on.
 */
export async function readSchema(database: Queryable) {
  const { applied, pending, unknown, blocking } = await readMigrations(database, apiSchema)
  const missing = unknown.length > 0 ? [] : pending.map(({ name }) => name)
  const state = (() => {
    if (unknown.length > 0) return 'newer'
    if (missing.length === 0) return 'current'
    return applied.length === 0 ? 'empty' : 'older'
  })()
  return { state, unknown, blocking: blocking?.name, missing }
}

/** Describes the migrations of a newer release that this version runs on. */
export function describeNewer(unknown: readonly AppliedMigration[]): string {
  const names = unknown.map(({ name, since }) => `${name} (${since ?? 'unknown release'})`).join(', ')
  return `the database has migrations of a newer release, which this version runs on: ${names}`
}
