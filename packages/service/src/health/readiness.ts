import type { MetricHelp, Time } from '@tallystick/base'
import { countOf } from '@tallystick/base/pure'
import type { Finding } from '@tallystick/core'
import type { RemoteSubgraph } from '@tallystick/gateway'
import type { PoolWatch, PublishedNotes, WatchedPool, WithheldNotes } from '@tallystick/issuer'
import type { Follower, FollowerStatus } from '@tallystick/subgraph'

export type Readiness = {
  /** Whether this replica serves valid notes now. */
  readonly ready: boolean
  /** Whether it is ready while something is wrong. */
  readonly degraded: boolean
  /** Why it is not ready, or degraded. */
  readonly reasons: readonly string[]
  readonly findings: readonly Finding[]
}

export const readinessMetricHelp: MetricHelp = {
  tallystick_ready: '1 while /readyz is 200: this replica can serve valid notes.',
}

// A chain without traffic seals blocks late. After 15 minutes its RPC is considered stuck, as in the rails.
const silenceMaxSeconds = 900

export type ReadinessParts = {
  readonly published: Pick<PublishedNotes, 'at' | 'findWithheld'>
  readonly time: Pick<Time, 'now'>
  readonly chainIds: readonly number[]
  readonly subgraphs: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>
  readonly remote: readonly Pick<RemoteSubgraph, 'chainId' | 'status'>[]
  readonly poolWatch: Pick<PoolWatch, 'find'>
  /** Returns what the parts of the service find: database, records, clocks, public log, protection, webhooks. */
  readonly checkParts: () => readonly Finding[]
  /** Returns false before the public listener is open and from the start of a shutdown. */
  readonly isListening: () => boolean
}

/**
 * Checks whether this replica can serve valid notes now: the public listener is open, the clocks agree, there are notes in
 * memory, and nothing contradicts the signed notes. It only reads what is known already, so that a probe never waits for
 * the database. Everything else that is wrong makes the replica degraded.
 */
export function checkReadiness(parts: ReadinessParts): Readiness {
  const { published, time, chainIds, subgraphs, remote, poolWatch } = parts
  const nowMs = time.now()
  const period = published.at(nowMs)
  // The answer of `/notes` to a request without parameters.
  const isServing = period?.answer({}) !== undefined
  return summarize([
    ...chainIds.map((chainId) => {
      const count = period?.sets.get(chainId)?.notes.length ?? 0
      return checkNotes(chainId, { count, withheld: published.findWithheld(chainId, nowMs), isServing })
    }),
    checkListener(parts.isListening()),
    ...parts.checkParts(),
    ...[...subgraphs].map(([chainId, { follower }]) =>
      checkSubgraph(chainId, { status: follower.status(), nowSeconds: nowMs / 1000 }),
    ),
    ...remote.map((one) => checkRemote(one, { isSecond: subgraphs.has(one.chainId) })),
    ...chainIds.flatMap((chainId) => checkPool(chainId, poolWatch.find(chainId)) ?? []),
  ])
}

function summarize(findings: readonly Finding[]): Readiness {
  const wrong = findings.filter(({ severity }) => severity !== 'ok')
  const decisive = wrong.filter(({ severity }) => severity === 'unready')
  const ready = decisive.length === 0
  const reasons = (ready ? wrong : decisive).map(({ subject, message }) => `${subject}: ${message}`)
  return { ready, degraded: ready && wrong.length > 0, reasons, findings }
}

type NotesInMemory = {
  readonly count: number
  readonly withheld: WithheldNotes | undefined
  readonly isServing: boolean
}

/**
 * A chain without notes does not end readiness while other chains have notes, nor while the pool is the reason: it is the
 * same for every replica, and `/notes` and `/rate` report it.
 */
function checkNotes(chainId: number, { count, withheld, isServing }: NotesInMemory): Finding {
  const subject = `notes of chain ${chainId}`
  if (count > 0) return { subject, severity: 'ok', message: `${countOf(count, 'note')} in memory` }
  const remedy = 'Check the service’s log.'
  if (withheld) return { subject, severity: 'warn', message: `the notes are withheld: ${withheld.clause}`, remedy }
  const message = 'no notes for the current period; run `tallystick notes show` for the reason'
  return { subject, severity: isServing ? 'fail' : 'unready', message, remedy }
}

function checkListener(isListening: boolean): Finding {
  const subject = 'public listener'
  if (isListening) return { subject, severity: 'ok', message: 'accepts connections' }
  const remedy = 'Wait until the start or the shutdown is complete.'
  return { subject, severity: 'unready', message: 'the service is starting or stopping', remedy }
}

const subgraphRemedy = 'Fix the cause. The service retries automatically. /data answers from the last indexed block.'

function checkSubgraph(
  chainId: number,
  { status, nowSeconds }: { readonly status: FollowerStatus; readonly nowSeconds: number },
): Finding {
  const { state, head, chainHead, lagBlocks } = status
  const subject = `subgraph of chain ${chainId}`
  const silentSeconds = chainHead ? Math.round(nowSeconds - chainHead.timestamp) : 0
  const silence = `the RPC has had no new block for ${silentSeconds} s; it may be stuck`
  const problem = status.problem ?? (silentSeconds > silenceMaxSeconds ? silence : undefined)
  const position = head ? `at block ${head.number}${lagBlocks === undefined ? '' : `, ${lagBlocks} behind`}` : 'empty'
  const message = `${state}, ${position}`
  if (problem === undefined) return { subject, severity: 'ok', message }
  return { subject, severity: 'warn', message: `${message}: ${problem}`, remedy: subgraphRemedy }
}

/** Notes that the pool would refuse are withheld. A planned change of the signer is no fault. */
function checkPool(chainId: number, watched: WatchedPool | undefined): Finding | undefined {
  if (!watched) return undefined
  const subject = `pool of chain ${chainId}`
  if (!watched.problems) {
    const remedy = 'Run `tallystick doctor` for the details. The service reads the pool again every 15 s.'
    return { subject, severity: 'warn', message: 'not read yet', remedy }
  }
  const found = [...watched.problems.values()]
  const message = found.map((one) => one.message).join('; ') || 'open'
  const isWell = [...watched.problems.keys()].every((problem) => problem === 'signer_change')
  if (isWell) return { subject, severity: 'ok', message }
  return { subject, severity: 'warn', message, remedy: [...new Set(found.map(({ remedy }) => remedy))].join(' ') }
}

/** Reports the state after the last requests. It sends none itself. */
function checkRemote(
  { chainId, status }: Pick<RemoteSubgraph, 'chainId' | 'status'>,
  { isSecond }: { readonly isSecond: boolean },
): Finding {
  const upstreams = status()
  const subject = `${isSecond ? 'remote ' : ''}subgraph of chain ${chainId}`
  const message = upstreams
    .map(({ upstream, circuit, lastFailure, head }) => {
      const at = head ? ` at block ${head.number}` : ''
      return circuit === 'closed' ? `${upstream} is in use${at}` : `${upstream} is disabled: ${lastFailure}`
    })
    .join('; ')
  if (upstreams.some(({ circuit }) => circuit === 'closed')) return { subject, severity: 'ok', message }
  return { subject, severity: 'warn', message, remedy: subgraphRemedy }
}
