export { type Abort, createAbort, type StopSignal } from './create-abort.ts'
export type { Database, Lock, Queryable } from './database.ts'
export { type Migration, migrate } from './migrate.ts'
export { openDatabase } from './open-database.ts'
