import type { Migration } from '@tallystick/database'
import { auditMigrations } from './audit/audit-log.ts'
import { keyChangeMigrations, keyMigrations } from './keys/key-migrations.ts'
import { replicaMigrations } from './keys/replicas.ts'
import { proposalMigrations } from './notes/curve/curve-proposals.ts'
import { curveMigrations, curveProvenanceMigrations } from './notes/curve/curve-store.ts'
import { noteMigrations } from './notes/note-store.ts'

/** Every step of the service's own schema, in the order in which they were released: new ones go to the end. */
export const apiMigrations: readonly Migration[] = [
  ...keyMigrations,
  ...curveMigrations,
  ...noteMigrations,
  ...curveProvenanceMigrations,
  ...auditMigrations,
  ...keyChangeMigrations,
  ...replicaMigrations,
  ...proposalMigrations,
]
