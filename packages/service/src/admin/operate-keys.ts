import { type Clock, systemTime, toSeconds } from '@tallystick/base'
import { type KeyReport, keyKinds, keyScopes, type ReplicaReport } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import { refusal } from '@tallystick/http'
import { awaitReplicas, createKey, listKeys, revokeKey, rotateKey, updateKey } from '@tallystick/keys'
import { z } from 'zod'
import { networkSchema } from '../config/config-fields.ts'
import { reportKey } from './key-report.ts'
import { viewKey } from './key-view.ts'
import { parseRequest, printable } from './parse-request.ts'

export type KeyOperator = ReturnType<typeof createKeyOperator>

export type KeyOperatorContext = {
  readonly database: Database
  readonly clock: Clock
  readonly auditor: Auditor
  /** Reloads the keys of this process. It is called before a change of keys is confirmed. */
  readonly refreshKeys: (() => Promise<void>) | undefined
  /** Stores the requests that this process has counted. */
  readonly storeUsage: (() => Promise<void>) | undefined
}

const rpm = z.int().min(1).max(1_000_000).nullable()
// The time of each request of the last second is kept.
const burst = z.int().min(1).max(10_000).nullable()
const quota = z.int().min(1).max(1_000_000_000).nullable()
const allowed = networkSchema.refine((network) => !/%|^::ffff:/i.test(network), {
  error: 'must not have a zone, and IPv4 networks must be written as such',
})
const allow = z.array(allowed).min(1).max(50).nullable()
const name = printable.trim().min(1, 'must not be empty').max(100)
const scopes = z
  .array(z.enum(keyScopes))
  .min(1)
  .transform((given) => [...new Set(given)])
const expiresAt = z.iso.datetime({ offset: true }).nullable()
const newKeySchema = z.strictObject({
  name,
  kind: z.enum(keyKinds).default('live'),
  scopes: scopes.default([...keyScopes]),
  rpm: rpm.default(600),
  burst: burst.default(null),
  quotaPerDay: quota.default(null),
  quotaPerMonth: quota.default(null),
  allow: allow.default(null),
  expiresAt: expiresAt.default(null),
})
/** How long to wait for every replica to load the change. */
const waitMs = z.int().min(0).max(10_000).default(0)
const updateSchema = z
  .strictObject({
    waitMs,
    revision: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional(),
    name: name.optional(),
    scopes: scopes.optional(),
    expiresAt: expiresAt.optional(),
    rpm: rpm.optional(),
    burst: burst.optional(),
    quotaPerDay: quota.optional(),
    quotaPerMonth: quota.optional(),
    allow: allow.optional(),
  })
  .refine(
    ({ waitMs: _wait, revision: _revision, ...changes }) => Object.keys(changes).length > 0,
    'must have at least one member to change',
  )
const revocationSchema = z.strictObject({ waitMs })
const rotationSchema = z.strictObject({
  waitMs,
  graceSeconds: z
    .int()
    .min(0)
    .max(90 * 86_400)
    .default(86_400),
})

export function createKeyOperator({ database, clock, auditor, refreshKeys, storeUsage }: KeyOperatorContext) {
  const now = () => toSeconds(clock.now())
  const confirm = async ({ revision }: { readonly revision: bigint }, waitMs: number): Promise<ReplicaReport> => {
    await refreshKeys?.()
    // Only this process uses the embedded database.
    if (database.engine === 'pglite') return { confirmed: refreshKeys ? ['the service'] : [], unconfirmed: [] }
    return awaitReplicas(database, { revision, waitMs, time: systemTime })
  }
  return {
    createKey: async (request: unknown) => {
      const { expiresAt, ...key } = parseRequest(newKeySchema, request, 'invalid_key_request')
      const nowSeconds = now()
      const { key: created, secret } = await createKey(database, {
        key: { ...key, expiresAt: parseExpiry(expiresAt, nowSeconds) },
        nowSeconds,
        auditor,
      })
      await refreshKeys?.()
      return { key: viewKey(created, nowSeconds), secret }
    },
    listKeys: async () => ({ keys: (await listKeys(database)).map((key) => viewKey(key, now())) }),
    showKey: async (id: string): Promise<KeyReport> => {
      await storeUsage?.()
      return reportKey(database, { id, nowSeconds: now() })
    },
    updateKey: async (id: string, request: unknown) => {
      const parsed = parseRequest(updateSchema, request ?? {}, 'invalid_key_request')
      const { waitMs, revision: seen, expiresAt, ...others } = parsed
      const nowSeconds = now()
      const revision = seen === undefined ? undefined : BigInt(seen)
      const changes = { ...others, expiresAt: expiresAt === undefined ? undefined : parseExpiry(expiresAt, nowSeconds) }
      const key = await updateKey(database, { id, changes, revision, nowSeconds, auditor })
      return { key: viewKey(key, nowSeconds), replicas: await confirm(key, waitMs) }
    },
    revokeKey: async (id: string, request?: unknown) => {
      const { waitMs } = parseRequest(revocationSchema, request ?? {}, 'invalid_key_request')
      const nowSeconds = now()
      const key = await revokeKey(database, { id, nowSeconds, auditor })
      return { key: viewKey(key, nowSeconds), replicas: await confirm(key, waitMs) }
    },
    rotateKey: async (id: string, request: unknown) => {
      const { graceSeconds, waitMs } = parseRequest(rotationSchema, request ?? {}, 'invalid_key_request')
      const nowSeconds = now()
      const { key, secret } = await rotateKey(database, { id, graceSeconds, nowSeconds, auditor })
      return { key: viewKey(key, nowSeconds), secret, replicas: await confirm(key, waitMs) }
    },
  }
}

function parseExpiry(expiresAt: string | null, nowSeconds: bigint): bigint | null {
  if (expiresAt === null) return null
  const seconds = toSeconds(Date.parse(expiresAt))
  if (seconds > nowSeconds) return seconds
  throw refusal('invalid_key_request', `The expiry ${expiresAt} is not in the future.`)
}
