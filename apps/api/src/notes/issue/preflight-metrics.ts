import { periodAfter, periodAt } from '@tallystick/core'
import { type Clock, toSeconds } from '../../clock.ts'
import type { MetricHelp, Metrics } from '../../metrics.ts'
import type { NoteSet } from '../note-set.ts'

/** What a pool can say to a set of notes, or why it says nothing. */
export const preflightOutcomes = ['accepted', 'refused', 'too_early', 'unavailable'] as const
export type PreflightOutcome = (typeof preflightOutcomes)[number]

export type PreflightMetrics = { judged(set: NoteSet, outcome: PreflightOutcome): void }

export const preflightMetricHelp: MetricHelp = {
  tallystick_preflight_total: 'Sets of notes shown to their pool, by what it said.',
  tallystick_preflight_refused:
    'ALARM: 1 while the pool has not accepted and refuses the notes of the current or the next period.',
  tallystick_preflight_unchecked: '1 while the pool has not yet been heard about the notes of the current period.',
}

/** The metrics of the preflight, for the chains that have one. */
export function createPreflightMetrics({
  metrics,
  clock,
  chainIds,
}: {
  readonly metrics: Metrics
  readonly clock: Clock
  readonly chainIds: readonly number[]
}): PreflightMetrics {
  const count = (chain: number, outcome: PreflightOutcome) =>
    metrics.counter('tallystick_preflight_total', { chain, outcome })
  for (const chain of chainIds) for (const outcome of preflightOutcomes) count(chain, outcome)
  const latest = new Map<string, PreflightOutcome>()
  const currentPeriod = () => periodAt(toSeconds(clock.now()))
  const gauge = (family: string, read: (chainId: number) => boolean) =>
    metrics.gauge(family, () => chainIds.map((chain) => ({ labels: { chain }, value: read(chain) ? 1 : 0 })))

  gauge('tallystick_preflight_refused', (chain) => {
    const current = currentPeriod()
    return [current, periodAfter(current)].some(({ start }) => latest.get(`${chain}:${start}`) === 'refused')
  })
  gauge('tallystick_preflight_unchecked', (chain) => {
    const outcome = latest.get(`${chain}:${currentPeriod().start}`)
    return outcome !== 'accepted' && outcome !== 'refused'
  })
  return {
    judged: ({ chainId, period }, outcome) => {
      count(chainId, outcome).increment()
      latest.set(`${chainId}:${period.start}`, outcome)
      // Of each chain the last periods: what lies further back nobody asks for.
      for (const key of [...latest.keys()].slice(0, -3 * chainIds.length)) latest.delete(key)
    },
  }
}
