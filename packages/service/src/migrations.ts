import { auditMigrations, type KnownMigrations, type Migration } from '@tallystick/database'
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
import { historyMigrations } from './history/history-store.ts'
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
