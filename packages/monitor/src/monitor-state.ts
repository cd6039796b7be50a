import { decodeBase64, encodeBase64, hashBytes, type TreeEdge, tileWidth } from '@tallystick/tlog'
import { z } from 'zod'
import { findingKinds, type MonitorFinding } from './finding.ts'

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const integer = z.int().min(0)
const decimal = z.string().regex(/^\d{1,78}$/)

/** A set of the log, as lends are compared with it. */
const loggedSetSchema = z.strictObject({
  index: integer,
  pool: address,
  /** Coupons by maturity timestamp. */
  coupons: z.record(decimal, decimal),
})

const lendScopeSchema = z.strictObject({
  /** Start of the first period, Unix seconds. */
  since: decimal,
  /** Lower case. */
  pools: z.array(address),
})

// States of earlier versions lack the members with a default.
const chainStateSchema = z.strictObject({
  /** The signer by the last signer entry. */
  signer: address.nullable(),
  /** Every pool that the log ever had, oldest first. */
  pools: z.array(z.strictObject({ address, name: z.string(), version: z.string() })),
  /** Periods with a set. */
  seen: z.array(z.tuple([integer, integer])),
  /** Start of the earliest period with a set, Unix seconds. */
  firstPeriod: decimal.nullable(),
  /** Sets of the periods whose lends are not settled, by start of the period. Empty if the chain is not followed. */
  sets: z.record(decimal, z.array(loggedSetSchema)),
  /** The last block whose lends were checked. Null until the chain is followed. */
  cursor: z.strictObject({ block: z.int().min(-1), timestamp: integer }).nullable(),
  /** The lends that were checked up to the cursor. */
  scope: lendScopeSchema.nullable().default(null),
  /** Number of lends before the first period of the scope. Null until it is known. */
  lendsBefore: decimal.nullable().default(null),
  /** The first set of each period of the last two weeks, by start of the period. */
  firstSets: z.record(decimal, z.strictObject({ index: integer, digest: z.string() })).default({}),
})

const curveRecordSchema = z.strictObject({
  index: integer,
  /** Null means every chain. */
  chainid: z.string().nullable(),
  effectiveFrom: decimal,
  points: z.record(z.string(), decimal),
})

const reportedSchema = z.strictObject({
  kind: z.enum(findingKinds),
  subject: z.string(),
  message: z.string(),
  /** ISO 8601. */
  at: z.string(),
})

/** Progress of a monitor. It is never ahead of what was checked and reported. */
export const monitorStateSchema = z.strictObject({
  version: z.literal(1),
  /** Verifier key of the log. */
  key: z.string(),
  /** The last verified checkpoint, the whole signed note, and when the monitor first saw it, Unix ms. */
  checkpoint: z.strictObject({ size: integer, root: z.string(), note: z.string(), seenAt: integer }).nullable(),
  /** Right edge of its tree, see `TreeEdge`. */
  edge: z.array(z.string()),
  /** Number of entries that were read and checked: all before this index. */
  checked: integer,
  /** When the tree grew to a size, Unix ms. Only sizes above `checked`. */
  growth: z.array(z.strictObject({ size: integer, at: integer })),
  /** Tiles that are missing, by path, and since when, Unix ms. */
  missing: z.record(z.string(), integer),
  /** The tile that is read again next. */
  audited: integer,
  chains: z.record(z.string(), chainStateSchema),
  /** Curves that can still be in force. */
  curves: z.array(curveRecordSchema),
  findings: z.strictObject({
    counts: z.partialRecord(z.enum(findingKinds), integer),
    /** The newest findings. */
    recent: z.array(reportedSchema),
  }),
})

export type MonitorState = z.infer<typeof monitorStateSchema>
export type ChainState = z.infer<typeof chainStateSchema>
export type LendScope = z.infer<typeof lendScopeSchema>
export type CurveRecord = z.infer<typeof curveRecordSchema>
export type LoggedSet = z.infer<typeof loggedSetSchema>

export function createState(key: string): MonitorState {
  return {
    version: 1,
    key,
    checkpoint: null,
    edge: [],
    checked: 0,
    growth: [],
    missing: {},
    audited: 0,
    chains: {},
    curves: [],
    findings: { counts: {}, recent: [] },
  }
}

/** Returns the state of a chain, and adds it if it is new. */
export function chainOf(state: MonitorState, chainId: string): ChainState {
  state.chains[chainId] ??= {
    signer: null,
    pools: [],
    seen: [],
    firstPeriod: null,
    sets: {},
    cursor: null,
    scope: null,
    lendsBefore: null,
    firstSets: {},
  }
  return state.chains[chainId]
}

/** Forgets the entries, not the tree. The monitor then reads every entry of the log again. */
export function forgetEntries(state: MonitorState): void {
  const { checked, growth, chains, curves } = createState(state.key)
  const at = state.checkpoint?.seenAt ?? 0
  Object.assign(state, { checked, growth, chains, curves })
  if (state.checkpoint) state.growth = [{ size: state.checkpoint.size, at }]
}

// A finding has about 1 kB.
const recentMax = 500

/** Adds a finding to the state. Returns false if it is known already. */
export function addFinding({ findings }: MonitorState, finding: MonitorFinding, nowMs: number): boolean {
  const { kind, subject, message } = finding
  if (findings.recent.some((known) => known.kind === kind && known.subject === subject)) return false
  findings.counts[kind] = (findings.counts[kind] ?? 0) + 1
  findings.recent.push({ kind, subject, message, at: new Date(nowMs).toISOString() })
  if (findings.recent.length > recentMax) findings.recent.shift()
  return true
}

/** Returns the edge as base64, one text per level. */
export function encodeEdge(edge: TreeEdge): string[] {
  return edge.map(encodeBase64)
}

/** Decodes an edge. Returns undefined unless it belongs to a tree of this size. */
export function decodeEdge(size: number, texts: readonly string[]): TreeEdge | undefined {
  const edge: Uint8Array[] = []
  let count = size
  for (const text of texts) {
    const bytes = decodeBase64(text)
    if (bytes?.length !== (count % tileWidth) * hashBytes) return undefined
    edge.push(bytes)
    count = Math.floor(count / tileWidth)
  }
  return count === 0 ? edge : undefined
}
