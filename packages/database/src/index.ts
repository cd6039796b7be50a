export type { Database, Lock, Queryable } from './database.ts'
export { type HeldLock, lockDirectory } from './lock-directory.ts'
export { databaseTooNew, type Migration, migrate } from './migrate.ts'
export { openDatabase } from './open-database.ts'
