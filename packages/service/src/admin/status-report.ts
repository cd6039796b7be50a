import { toSeconds } from '@tallystick/base'
import {
  type ChainStatus,
  formatPeriod,
  type IndexStatus,
  periodAfter,
  periodAt,
  type StatusReport,
} from '@tallystick/core'
import type { TwoSourceSubgraph } from '@tallystick/gateway'
import type { PublishedNotes } from '@tallystick/issuer'
import type { Config } from '../config/config.ts'
import type { ReadinessParts } from '../health/readiness.ts'
import { addObstacles, findPoolStatus } from '../rate/find-pool-status.ts'
import { toIso } from './key-view.ts'

export type StatusParts = Pick<ReadinessParts, 'time' | 'poolWatch' | 'subgraphs' | 'remote'> & {
  readonly config: Pick<Config, 'chains'>
  readonly published: PublishedNotes
  /** Chains with two sources. */
  readonly twoSource: ReadonlyMap<number, Pick<TwoSourceSubgraph, 'current'>>
}

export function reportStatus(
  parts: StatusParts,
  { ready, degraded, findings }: Pick<StatusReport, 'ready' | 'degraded' | 'findings'>,
): StatusReport {
  const nowMs = parts.time.now()
  const current = periodAt(toSeconds(nowMs))
  const next = periodAfter(current)
  return {
    now: toIso(toSeconds(nowMs)),
    ready,
    degraded,
    findings,
    period: formatPeriod(current),
    nextPeriod: formatPeriod(next),
    boundary: toIso(current.end),
    chains: parts.config.chains.map(({ id, name }) => {
      const problems = parts.poolWatch.find(id)?.problems
      const notes = parts.published.at(nowMs)?.sets.get(id)?.notes.length ?? 0
      const watched = findPoolStatus(undefined, problems) ?? { status: 'unknown', reason: '' }
      return {
        chainId: id,
        name,
        notes,
        isNextSigned: parts.published.find(id, next.start) !== undefined,
        poolStatus: addObstacles(watched, { problems, hasNotes: notes > 0 }).status,
        poolProblems: problems ? [...problems.values()].map(({ message }) => message) : null,
        ...describeSources(parts, { chainId: id, nowSeconds: Math.floor(nowMs / 1000) }),
      }
    }),
  }
}

type At = { readonly chainId: number; readonly nowSeconds: number }

/** Describes the source that answers now, and the other one if the chain has two. */
function describeSources(parts: StatusParts, at: At): Pick<ChainStatus, 'index' | 'standby'> {
  const embedded = describeEmbedded(parts, at)
  const remote = describeRemote(parts, at)
  if (!embedded || !remote) return { index: embedded ?? remote, standby: null }
  return parts.twoSource.get(at.chainId)?.current === 'remote'
    ? { index: remote, standby: embedded }
    : { index: embedded, standby: remote }
}

function describeEmbedded({ subgraphs }: StatusParts, { chainId, nowSeconds }: At): IndexStatus | null {
  const embedded = subgraphs.get(chainId)?.follower.status()
  if (!embedded) return null
  const { state, head, lagBlocks = null, lagSeconds = null, problem = null } = embedded
  return { kind: 'embedded', state, ...describeHead(head, nowSeconds), lagBlocks, lagSeconds, problem }
}

function describeRemote({ remote }: StatusParts, { chainId, nowSeconds }: At): IndexStatus | null {
  const upstreams = remote.find((one) => one.chainId === chainId)?.status()
  if (!upstreams) return null
  const usable = upstreams.filter(({ circuit }) => circuit === 'closed')
  const head = usable.map((one) => one.head).find((one) => one !== undefined)
  const failures = upstreams.flatMap(({ upstream, circuit, lastFailure, isBehind }) => {
    if (circuit !== 'closed') return [`${upstream} is disabled: ${lastFailure}`]
    return isBehind ? [`${upstream} is too far behind the clock`] : []
  })
  const problem = failures.join('; ') || null
  const state = `${usable.length} of ${upstreams.length} URLs in use`
  return { kind: 'remote', state, ...describeHead(head, nowSeconds), lagBlocks: null, lagSeconds: null, problem }
}

function describeHead(
  head: { readonly number: number; readonly timestamp: number | undefined } | undefined,
  nowSeconds: number,
): Pick<IndexStatus, 'block' | 'blockTime' | 'ageSeconds'> {
  const { number = null, timestamp } = head ?? {}
  if (timestamp === undefined) return { block: number, blockTime: null, ageSeconds: null }
  const ageSeconds = Math.max(0, nowSeconds - timestamp)
  return { block: number, blockTime: toIso(BigInt(timestamp)), ageSeconds }
}
