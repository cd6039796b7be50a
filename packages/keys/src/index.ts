export type { NewKey, RevisedKey } from './api-key.ts'
export { auditHeadPath } from './audit/audit-head.ts'
export { type AuditCheck, auditLeafMigrations, checkAudit } from './audit/check-audit.ts'
export { auditMetricHelp, watchAudit } from './audit/watch-audit.ts'
export { createBoundedKeys } from './bounded-keys.ts'
export { keyChangeMigrations, keyDeletionMigrations, keyLimitMigrations, keyMigrations } from './key-migrations.ts'
export { hashSecret, type KeyRing, openKeyRing } from './key-ring.ts'
export type { RingKey } from './key-snapshot.ts'
export { createKey, getKey, listKeys, revokeKey, rotateKey, updateKey } from './key-store.ts'
export { type KeyUsageRecorder, startKeyUsageRecorder } from './key-usage-recorder.ts'
export {
  addKeyUsage,
  hourUsageMigrations,
  type KeyUsage,
  listHourUsage,
  listKeyUsage,
  usageDaysMax,
  usageHoursMax,
  usageMigrations,
} from './key-usage-store.ts'
export { createLeases, type Leases, type LimitTestOptions } from './limits/create-leases.ts'
export { createSharedLimits } from './limits/key-limit.ts'
export { leaseMigrations, listQuotaUse } from './limits/lease-store.ts'
export { minuteOffsetMs } from './limits/lease-window.ts'
export { noPosition, readKeyChanges } from './read-key-changes.ts'
export {
  type Announcement,
  announceReplica,
  awaitReplicas,
  liveSeconds,
  replicaMigrations,
  replicaReleaseMigrations,
} from './replicas.ts'
export { createVisitorLimits, type VisitorLimits } from './visitors/visitor-limits.ts'
export { openVisitorSecrets, type VisitorSecrets, visitorMigrations } from './visitors/visitor-secrets.ts'
export { formatVisitorToken, isGenuine, parseVisitorToken } from './visitors/visitor-token.ts'
