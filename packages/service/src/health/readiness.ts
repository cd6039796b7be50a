import type { Clock, MetricHelp } from '@tallystick/base'
import type { Check } from '@tallystick/core'
import type { RemoteSubgraph } from '@tallystick/gateway'
import type { PoolWatch, PublishedNotes, WatchedPool, WithheldNotes } from '@tallystick/issuer'
import type { Follower, FollowerStatus } from '@tallystick/subgraph'

export type Readiness = {
  /** Whether this replica serves valid notes now. */
  readonly ready: boolean
  /** Whether it is ready while a check fails. */
  readonly degraded: boolean
  /** Why it is not ready, or degraded. */
  readonly reasons: readonly string[]
  readonly checks: readonly Check[]
}

export const readinessMetricHelp: MetricHelp = {
  tallystick_ready: '1 while /readyz is 200: this replica can serve valid notes.',
}

// A chain without traffic seals blocks late. After 15 minutes its RPC is considered stuck, as in the rails.
const silenceMaxSeconds = 900

export type ReadinessParts = {
  readonly published: Pick<PublishedNotes, 'at' | 'findWithheld'>
  readonly clock: Clock
  readonly chainIds: readonly number[]
  readonly subgraphs: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>
  readonly remote?: readonly Pick<RemoteSubgraph, 'chainId' | 'status'>[] | undefined
  readonly poolWatch?: Pick<PoolWatch, 'find'> | undefined
  readonly checkDatabase: () => Check
  /** Checks that memory, signer journal and database agree. */
  readonly checkSignedNotes: () => Check
  readonly checkClocks: () => readonly Check[]
  readonly checkHooks?: (() => Check) | undefined
  /** Checks the public log, if there is one. */
  readonly checkLog?: (() => readonly Check[]) | undefined
  /** Checks the shared protection of the signers, if there is one. Not required: signed notes are served without it. */
  readonly checkProtection?: (() => readonly Check[]) | undefined
  /** Returns false before the public listener is open and from the start of a shutdown. */
  readonly isListening: () => boolean
}

/**
 * Checks whether this replica can serve valid notes now: the public listener is open, the clocks agree, there are notes in
 * memory, and nothing contradicts the signed notes. It only reads what is known already, so that a probe never waits for
 * the database. Everything else that is wrong makes the replica degraded.
 */
export function checkReadiness(parts: ReadinessParts): Readiness {
  const { published, clock, chainIds, subgraphs, remote = [], poolWatch } = parts
  const nowMs = clock.now()
  const period = published.at(nowMs)
  // The answer of `/notes` to a request without parameters.
  const isServing = period?.answer({}) !== undefined
  const notes = chainIds.map((chainId) => {
    const count = period?.sets.get(chainId)?.notes.length ?? 0
    return checkNotes(chainId, { count, withheld: published.findWithheld(chainId, nowMs), isServing })
  })
  const indexes = [...subgraphs].map(([chainId, { follower }]) =>
    checkSubgraph(chainId, { status: follower.status(), nowSeconds: nowMs / 1000 }),
  )
  const checks = [
    ...notes,
    ...[parts.checkDatabase(), checkListener(parts.isListening()), parts.checkSignedNotes()],
    ...parts.checkClocks(),
    ...(parts.checkLog?.() ?? []),
    ...(parts.checkProtection?.() ?? []),
    ...indexes,
    ...remote.map((one) => checkRemote(one, { isSecond: subgraphs.has(one.chainId) })),
    ...chainIds.flatMap((chainId) => checkPool(chainId, poolWatch?.find(chainId))),
    ...(parts.checkHooks ? [parts.checkHooks()] : []),
  ]
  return summarize(checks)
}

function summarize(checks: readonly Check[]): Readiness {
  const failed = checks.filter(({ ok }) => !ok)
  const missing = failed.filter(({ required }) => required)
  const ready = missing.length === 0
  const reasons = (ready ? failed : missing).map(({ name, detail }) => `${name}: ${detail}`)
  return { ready, degraded: ready && failed.length > 0, reasons, checks }
}

/**
 * Not required while other chains have notes, nor while the pool is the reason: it is the same for every replica, and
 * `/notes` and `/rate` report it.
 */
function checkNotes(
  chainId: number,
  {
    count,
    withheld,
    isServing,
  }: { readonly count: number; readonly withheld: WithheldNotes | undefined; readonly isServing: boolean },
): Check {
  const none = withheld
    ? `the notes are withheld: ${withheld.clause}`
    : 'no notes for the current period; run `tallystick notes show` for the reason'
  const detail = count > 0 ? `${count} notes in memory` : none
  const name = `notes of chain ${chainId}`
  return { name, ok: count > 0, detail, required: !withheld && !isServing, urgent: !withheld }
}

function checkListener(ok: boolean): Check {
  const detail = ok ? 'accepts connections' : 'the service is starting or stopping'
  return { name: 'public listener', ok, detail, required: true }
}

function checkSubgraph(
  chainId: number,
  { status, nowSeconds }: { readonly status: FollowerStatus; readonly nowSeconds: number },
): Check {
  const { state, head, chainHead, lagBlocks } = status
  const silentSeconds = chainHead ? Math.round(nowSeconds - chainHead.timestamp) : 0
  const silence = `the RPC has had no new block for ${silentSeconds} s; it may be stuck`
  const problem = status.problem ?? (silentSeconds > silenceMaxSeconds ? silence : undefined)
  const position = head ? `at block ${head.number}${lagBlocks === undefined ? '' : `, ${lagBlocks} behind`}` : 'empty'
  const detail = problem ? `${state}, ${position}: ${problem}` : `${state}, ${position}`
  return { name: `subgraph of chain ${chainId}`, ok: problem === undefined, detail, required: false }
}

/** Not required: notes that the pool would refuse are withheld. A planned change of the signer is no fault. */
function checkPool(chainId: number, watched: WatchedPool | undefined): Check[] {
  if (!watched) return []
  const name = `pool of chain ${chainId}`
  if (!watched.problems) return [{ name, ok: false, detail: 'not read yet', required: false }]
  const found = [...watched.problems.values()]
  const detail = found.map(({ message }) => message).join('; ') || 'open'
  const advice = [...new Set(found.map(({ remedy }) => remedy))].join(' ')
  const ok = [...watched.problems.keys()].every((problem) => problem === 'signer_change')
  return [{ name, ok, detail, required: false, ...(!ok && { advice }) }]
}

/** Reports the state after the last requests. It sends none itself. */
function checkRemote(
  { chainId, status }: Pick<RemoteSubgraph, 'chainId' | 'status'>,
  { isSecond }: { readonly isSecond: boolean },
): Check {
  const upstreams = status().map(({ upstream, circuit, lastFailure, head }) => {
    const at = head ? ` at block ${head.number}` : ''
    return circuit === 'closed' ? `${upstream} is in use${at}` : `${upstream} is disabled: ${lastFailure}`
  })
  const ok = status().some(({ circuit }) => circuit === 'closed')
  const name = `${isSecond ? 'remote ' : ''}subgraph of chain ${chainId}`
  return { name, ok, detail: upstreams.join('; '), required: false }
}
