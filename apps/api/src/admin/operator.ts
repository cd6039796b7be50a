import { keyKinds, keyScopes, periodAfter, periodAt, TallystickError } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { z } from 'zod'
import type { Auditor } from '../audit/audit-log.ts'
import { type Clock, toSeconds } from '../clock.ts'
import type { Config } from '../config.ts'
import { createKey, listKeys, revokeKey, rotateKey } from '../keys/key-store.ts'
import { awaitReplicas, type ReplicaReport } from '../keys/replicas.ts'
import { approveCurve, setCurve } from '../notes/curve/set-curve.ts'
import { type DiscardedSet, type DiscardRequest, signingHorizon } from '../notes/issue/premature-sets.ts'
import type { ReconcileReport } from '../notes/journal/reconcile-notes.ts'
import { discardFromFile, reconcileFromFile } from '../notes/journal/start-journal-checks.ts'
import { type AuditReport, reportAudit } from './audit-report.ts'
import {
  type CurveReport,
  type CurveView,
  type ProposalView,
  reportCurve,
  viewCurve,
  viewProposal,
} from './curve-report.ts'
import { type KeyView, viewKey } from './key-view.ts'
import { type DiscardReport, type NotesReport, reportDiscarded, reportNotes } from './notes-report.ts'

/** What an operator can do, whether through the admin listener or on the database itself. Plain data in and out. */
export type Operator = {
  createKey(request: unknown): Promise<{ readonly key: KeyView; readonly secret: string }>
  listKeys(): Promise<{ readonly keys: readonly KeyView[] }>
  revokeKey(id: string, request?: unknown): Promise<{ readonly key: KeyView; readonly replicas: ReplicaReport }>
  rotateKey(
    id: string,
    request: unknown,
  ): Promise<{ readonly key: KeyView; readonly secret: string; readonly replicas: ReplicaReport }>
  showCurve(): Promise<CurveReport>
  /** A curve, or a proposal that a second name has to approve. */
  setCurve(request: unknown): Promise<{ readonly curve?: CurveView; readonly proposal?: ProposalView }>
  approveCurve(id: string): Promise<{ readonly curve: CurveView }>
  showNotes(): Promise<NotesReport>
  reconcileNotes(): Promise<ReconcileReport>
  /** Deletes a set that a wrong clock signed ahead of its time, and lifts it from the signer journal. */
  discardNotes(request: unknown): Promise<{ readonly discarded: DiscardReport }>
  showAudit(limit?: number): Promise<AuditReport>
}

// Names are printed in tables and stored as text: a line break or NUL in one has no good meaning in either.
const printable = z.string().regex(/^\P{Cc}*$/u, 'must not hold control characters')

const newKeySchema = z.strictObject({
  name: printable.trim().min(1, 'must not be empty').max(100),
  kind: z.enum(keyKinds).default('live'),
  scopes: z
    .array(z.enum(keyScopes))
    .min(1)
    .transform((scopes) => [...new Set(scopes)])
    .default([...keyScopes]),
  rpm: z.int().min(1).max(1_000_000).nullable().default(600),
  expiresAt: z.iso.datetime({ offset: true }).nullable().default(null),
})
/** How long to wait until every replica has taken the change in. */
const waitMs = z.int().min(0).max(10_000).default(0)
const revocationSchema = z.strictObject({ waitMs })
const rotationSchema = z.strictObject({
  waitMs,
  graceSeconds: z
    .int()
    .min(0)
    .max(90 * 86_400)
    .default(86_400),
})
const discardSchema = z.strictObject({ chainId: z.int(), period: z.iso.datetime({ offset: true }) })
const curveRequestSchema = z.strictObject({
  points: z.record(z.string().regex(/^[1-9]\d{0,3}$/), z.number()),
  chainId: z.int().nullable().default(null),
  confirm: z.boolean().default(false),
  by: printable.max(200).optional(),
})

export function createOperator({
  database,
  config,
  clock,
  takeInKeys,
  curveProblem = () => undefined,
  auditor = { actor: 'local' },
  latestNow = async () => clock.now(),
  reconcile = (auditor) => reconcileFromFile(database, { config, clock, auditor }),
  discard = (request) => discardFromFile(database, { config, request }),
  assertClock = async () => undefined,
}: {
  readonly database: Database
  readonly config: Pick<Config, 'chains' | 'tenors' | 'rails' | 'curve' | 'signer'>
  readonly clock: Clock
  /** Called after a change of keys: whoever got the answer finds this process already knowing. */
  readonly takeInKeys?: (() => Promise<void>) | undefined
  /** Why the source of curves gives no newer one. */
  readonly curveProblem?: (() => string | undefined) | undefined
  /** The latest of the clocks at hand, Unix milliseconds: a set is discarded only if it is of the future by all of them. */
  readonly latestNow?: (() => Promise<number>) | undefined
  /** Who makes the changes. */
  readonly auditor?: Auditor | undefined
  /** Reconciles with the signer journal that the service has open. */
  readonly reconcile?: ((auditor: Auditor) => Promise<ReconcileReport>) | undefined
  /** Discards with the signer journal that the service has open. */
  readonly discard?: ((request: DiscardRequest) => Promise<DiscardedSet>) | undefined
  /** Throws while it is not certain which period it is: a curve would be stored for a wrong one. */
  readonly assertClock?: (() => Promise<void>) | undefined
}): Operator {
  const now = () => toSeconds(clock.now())
  const signable = async () => signingHorizon(toSeconds(await latestNow()), config.rails.signAheadSeconds)
  const confirm = async (wanted: Parameters<typeof awaitReplicas>[1]): Promise<ReplicaReport> => {
    await takeInKeys?.()
    // One process has the embedded database: this one.
    if (database.engine === 'pglite') return { confirmed: takeInKeys ? ['the service'] : [], unconfirmed: [] }
    return awaitReplicas(database, wanted)
  }
  return {
    createKey: async (request) => {
      const { expiresAt, ...key } = parse(newKeySchema, request, 'invalid_key_request')
      const nowSeconds = now()
      const { key: created, secret } = await createKey(database, {
        key: { ...key, expiresAt: parseExpiry(expiresAt, nowSeconds) },
        nowSeconds,
        auditor,
      })
      await takeInKeys?.()
      return { key: viewKey(created, nowSeconds), secret }
    },
    listKeys: async () => ({ keys: (await listKeys(database)).map((key) => viewKey(key, now())) }),
    revokeKey: async (id, request) => {
      const { waitMs } = parse(revocationSchema, request ?? {}, 'invalid_key_request')
      const nowSeconds = now()
      const key = await revokeKey(database, { id, nowSeconds, auditor })
      return { key: viewKey(key, nowSeconds), replicas: await confirm({ revision: key.revision, waitMs }) }
    },
    rotateKey: async (id, request) => {
      const { graceSeconds, waitMs } = parse(rotationSchema, request ?? {}, 'invalid_key_request')
      const nowSeconds = now()
      const { key, secret } = await rotateKey(database, { id, graceSeconds, nowSeconds, auditor })
      return { key: viewKey(key, nowSeconds), secret, replicas: await confirm({ revision: key.revision, waitMs }) }
    },
    showCurve: () => {
      const nowSeconds = now()
      const current = periodAt(nowSeconds)
      return reportCurve(database, { config, current, nowSeconds, problem: curveProblem() })
    },
    setCurve: async (request) => {
      const wanted = parse(curveRequestSchema, request, 'invalid_curve')
      await assertClock()
      const { curve, proposal } = await setCurve(database, { config, request: wanted, nowSeconds: now(), auditor })
      return curve ? { curve: viewCurve(curve) } : { proposal: viewProposal(proposal) }
    },
    approveCurve: async (id) => {
      await assertClock()
      return { curve: viewCurve(await approveCurve(database, { config, id, nowSeconds: now(), auditor })) }
    },
    showAudit: (limit) => reportAudit(database, limit),
    showNotes: async () => {
      const nowSeconds = now()
      const current = periodAt(nowSeconds)
      const periods = { current, next: periodAfter(current) }
      return reportNotes(database, { config, nowSeconds, ...periods, signable: await signable() })
    },
    reconcileNotes: () => reconcile(auditor),
    discardNotes: async (request) => {
      const { chainId, period } = parse(discardSchema, request, 'invalid_parameter')
      const periodStart = toSeconds(Date.parse(period))
      const wanted = { chainId, periodStart, ...(await signable()), nowSeconds: now(), auditor }
      return { discarded: reportDiscarded(await discard(wanted)) }
    },
  }
}

function parseExpiry(expiresAt: string | null, nowSeconds: bigint): bigint | null {
  if (expiresAt === null) return null
  const seconds = toSeconds(Date.parse(expiresAt))
  if (seconds > nowSeconds) return seconds
  throw new TallystickError({
    code: 'invalid_key_request',
    message: `The expiry ${expiresAt} is not in the future.`,
    retryable: false,
  })
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: 'invalid_key_request' | 'invalid_curve' | 'invalid_parameter',
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
  throw new TallystickError({ code, message: `Nothing was changed: ${faults.join('; ')}.`, retryable: false })
}
