export { type KnownMigrations, readMigrations } from './applied-migrations.ts'
export {
  type AuditedChange,
  type Auditor,
  auditedTransaction,
  auditMigrations,
  listAudit,
  recordAudit,
} from './audit-log.ts'
export type { Database, Lock, Queryable, Transaction } from './database.ts'
export { followChanges } from './follow-changes.ts'
export { lockDirectory } from './lock-directory.ts'
export { databaseTooNew, migrate, planRevert, revertMigrations } from './migrate.ts'
export { type AppliedMigration, compareReleases, type Migration } from './migration.ts'
export { openDatabase } from './open-database.ts'
export { connectDatabase } from './pglite/port-database.ts'
