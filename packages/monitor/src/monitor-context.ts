import type { Time } from '@tallystick/base'
import { createRangeSizer, createRpcEndpoint, createRpcPool, type RangeSizer, type RpcPool } from '@tallystick/chain'
import { TallystickError } from '@tallystick/core'
import { createVerifiedTree, decodeBase64, type VerifiedTree, type VerifierKey } from '@tallystick/tlog'
import type { MonitorFinding } from './finding.ts'
import { createLogSource, type MonitoredSource } from './log-source.ts'
import { addFinding, decodeEdge, type LoggedSet, type MonitorState } from './monitor-state.ts'

/** A line of the monitor's output. */
export type MonitorEvent =
  | { readonly event: 'start'; readonly message: string; readonly origin: string }
  | { readonly event: 'progress' | 'signer' | 'warning' | 'recovered' | 'info' | 'done'; readonly message: string }
  | {
      readonly event: 'period'
      readonly message: string
      readonly chainId: string
      readonly periodStart: string
      readonly index: number
    }
  | ({ readonly event: 'finding' } & MonitorFinding)

export type MonitorOptions = {
  readonly url: string
  readonly key: VerifierKey
  /** RPC URLs by chain id. Only the lends of these chains are checked. */
  readonly rpcs: ReadonlyMap<number, readonly string[]>
  /** Pools by chain id whose lends are checked even if the log does not name them. */
  readonly pools: ReadonlyMap<number, readonly string[]>
  readonly state: MonitorState
  /** Saves the state. Called only if everything in it was checked and said. */
  readonly save: (state: MonitorState) => Promise<void>
  readonly say: (event: MonitorEvent) => void
  /** Its clock is for the times that the state keeps, its stopwatch for all others. */
  readonly time: Pick<Time, 'now' | 'monotonic'>
  /** Waits, at most until the signal aborts. */
  readonly pause: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  /** Repeats known findings, so that each run explains its exit code. */
  readonly repeatsFindings: boolean
}

/** Sets that were read before the entries in front of them, by chain and start of the period. Null: the log has none. */
type EarlySets = Map<string, LoggedSet | null>

export type FollowedChain = { readonly rpc: RpcPool; readonly sizer: RangeSizer }

/** Parts and memory of a monitor. What is not in `state` is lost at a restart, and read again. */
export type MonitorContext = MonitorOptions & {
  readonly source: MonitoredSource
  readonly chains: ReadonlyMap<number, FollowedChain>
  readonly early: EarlySets
  /** Since when lends wait for the set of their period, by chain and start of the period. Monotonic ms. */
  readonly undecided: Map<string, number>
  readonly warnings: ReturnType<typeof createWarnings>
  readonly report: (finding: MonitorFinding) => void
  /** Tree of the last checkpoint. */
  tree: VerifiedTree | undefined
  /** The last search for the readable part of a bundle. */
  lastSearch: { readonly checked: number; readonly size: number; readonly at: number } | undefined
  /** Why entries are unread after the last round. */
  stoppedBy: 'withheld' | 'unknown' | undefined
  lastAuditAt: number | undefined
  lastSaveAt: number
  lastProgressAt: number
  /** Whether the log has been read to its end once. */
  hasCaughtUp: boolean
  findingsSeen: number
  /** Kinds and subjects of all findings since the start. */
  readonly found: Set<string>
  readonly totals: {
    entries: number
    readonly lends: Map<number, number>
    /** Lends that wait for their set, by chain id. */
    readonly waiting: Map<number, number>
    readonly successes: Map<string, number>
  }
}

const rpcTimeoutMs = 10_000
const rpcBytesMax = 16_777_216

export function createMonitorContext(options: MonitorOptions): MonitorContext {
  const { state, signal, say, time } = options
  const source = createLogSource(options)
  const context: MonitorContext = {
    ...options,
    source,
    chains: new Map([...options.rpcs].map(([id, urls]) => [id, followChain(id, urls, signal)])),
    early: new Map(),
    undecided: new Map(),
    warnings: createWarnings(say),
    report: (finding) => {
      context.findingsSeen += 1
      const isNew = addFinding(state, finding, time.now())
      const name = `${finding.kind} ${finding.subject}`
      if (isNew || (options.repeatsFindings && !context.found.has(name))) say({ event: 'finding', ...finding })
      context.found.add(name)
    },
    tree: restoreTree(source, state),
    lastSearch: undefined,
    stoppedBy: undefined,
    lastAuditAt: undefined,
    lastSaveAt: time.monotonic(),
    lastProgressAt: time.monotonic(),
    hasCaughtUp: false,
    findingsSeen: 0,
    found: new Set(),
    totals: { entries: 0, lends: new Map(), waiting: new Map(), successes: new Map() },
  }
  return context
}

function restoreTree(source: MonitoredSource, { checkpoint, edge }: MonitorState): VerifiedTree | undefined {
  if (!checkpoint) return undefined
  const { size, root } = checkpoint
  return createVerifiedTree(source, { size, root: decodeBase64(root) as Uint8Array }, decodeEdge(size, edge))
}

function followChain(chainId: number, urls: readonly string[], signal: AbortSignal): FollowedChain {
  const endpoints = urls.map((url) =>
    createRpcEndpoint({ url, timeoutMs: rpcTimeoutMs, answerBytesMax: rpcBytesMax, signal }),
  )
  // The monitor itself says what is wrong with an RPC.
  const log = { info: () => undefined, warn: () => undefined }
  return { rpc: createRpcPool({ endpoints, chainId, log }), sizer: createRangeSizer() }
}

/** Says a warning once, and when its cause is gone. */
function createWarnings(say: MonitorOptions['say']) {
  const active = new Map<string, string>()
  return {
    get count() {
      return active.size
    },
    set: (topic: string, message: string) => {
      if (active.get(topic) !== message) say({ event: 'warning', message })
      active.set(topic, message)
    },
    clear: (topic: string) => {
      if (active.delete(topic)) say({ event: 'recovered', message: `Recovered: ${topic}.` })
    },
  }
}

const progressMs = 5_000

/** Says how far a long read has got, at most every 5 s. */
export function sayProgress(context: MonitorContext, message: () => string): void {
  if (context.time.monotonic() - context.lastProgressAt < progressMs) return
  context.lastProgressAt = context.time.monotonic()
  context.say({ event: 'progress', message: message() })
}

const saveMs = 5_000

/** Saves the state during long reads, at most every 5 s. */
export async function saveSometimes(context: MonitorContext): Promise<void> {
  if (context.time.monotonic() - context.lastSaveAt < saveMs) return
  await saveProgress(context)
}

/** Saves the state. If that fails, the monitor warns and continues. */
export async function saveProgress(context: MonitorContext): Promise<void> {
  const topic = 'the state file'
  context.lastSaveAt = context.time.monotonic()
  try {
    await context.save(context.state)
    context.warnings.clear(topic)
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error
    context.warnings.set(topic, error.message)
  }
}
