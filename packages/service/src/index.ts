export { type DiscardReport, describeTimes } from './admin/notes-report.ts'
export { createOperator, type Operator } from './admin/operator.ts'
export { chooseAdminToken, listAdminTokens } from './config/admin-tokens.ts'
export {
  type ChainConfig,
  type Config,
  formatPath,
  loadConfig,
  parseConfig,
  readConfigJson,
  type SignerConfig,
} from './config/config.ts'
export { checkAuthority, checkCertificate } from './config/config-certificates.ts'
export { addressSchema, networkSchema } from './config/config-fields.ts'
export { adminUrlOf, readReference } from './config/config-reference.ts'

export { httpUrl, isHttpUrl, secretSchema, secretUrlSchema } from './config/config-secrets.ts'
export { awsKeySchema, gcpKeySchema, locateDatabase } from './config/config-signer.ts'
export { apiMigrations, apiSchema, describeNewer, readSchema, type SchemaReading } from './database/migrations.ts'
export {
  assertDatabaseExists,
  countConnections,
  openDatabaseToRead,
  openServiceDatabase,
} from './database/service-database.ts'
export { adviseOnCurve, checkNotes, type IssueReports } from './health/check-notes.ts'
export type { Readiness } from './health/readiness.ts'

export type { IndexJob, IndexReport } from './reindex/index-job.ts'
export { release } from './release.ts'
export { runService } from './run-service.ts'
export { type Service, startService } from './start-service.ts'
export { stopOnSignal } from './stop-on-signal.ts'
