import type { KnownMigrations, Migration } from '@tallystick/database'
import { auditLeafMigrations } from './audit/audit-leaves.ts'
import { auditMigrations } from './audit/audit-log.ts'
import { eventMigrations } from './events/event-store.ts'
import { historyMigrations } from './history/history-store.ts'
import { hookMigrations } from './hooks/hook-migrations.ts'
import { keyChangeMigrations, keyDeletionMigrations, keyLimitMigrations, keyMigrations } from './keys/key-migrations.ts'
import { usageMigrations } from './keys/key-usage-store.ts'
import { leaseMigrations } from './keys/limits/lease-store.ts'
import { replicaMigrations, replicaReleaseMigrations } from './keys/replicas.ts'
import { logMigrations } from './log/log-migrations.ts'
import { proposalMigrations } from './notes/curve/curve-proposals.ts'
import { curveMigrations, curveProvenanceMigrations } from './notes/curve/curve-store.ts'
import { claimMigrations } from './notes/issue/curve-claims.ts'
import { noteMigrations } from './notes/note-store.ts'
import { release } from './release.ts'

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
