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
  keyChangeMigrations,
  keyDeletionMigrations,
  keyLimitMigrations,
  keyMigrations,
  leaseMigrations,
  replicaMigrations,
  replicaReleaseMigrations,
  usageMigrations,
} from '@tallystick/keys'
import { eventMigrations, hookMigrations } from '@tallystick/notify'
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
]

/** Schema of the service in this release. */
export const apiSchema: KnownMigrations = { scope: 'api', migrations: apiMigrations, release }

/** State of a database's schema relative to this version. */
export type SchemaReading = {
  /** `newer` has migrations that this version does not know. */
  readonly state: 'current' | 'empty' | 'older' | 'newer'
  readonly unknown: readonly AppliedMigration[]
  /** First unknown migration that this version cannot run on. */
  readonly blocking?: string | undefined
  /** Migrations that are not applied. */
  readonly missing: readonly string[]
}

/** Reads which migrations are applied. */
export async function readSchema(database: Queryable): Promise<SchemaReading> {
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
