import { type MetricHelp, type Metrics, type Time, toSeconds } from '@tallystick/base'
import { periodAfter, periodAt } from '@tallystick/core'
import type { NoteSet } from '../note-set.ts'

/** Results of a preflight, see `PreflightResult`. */
const preflightOutcomes = ['accepted', 'refused', 'planned', 'too_early', 'unavailable'] as const
type PreflightOutcome = (typeof preflightOutcomes)[number]

export const preflightMetricHelp: MetricHelp = {
  tallystick_preflight_total: 'Preflights of note sets, by outcome.',
  tallystick_preflight_refused: 'ALARM: 1 while the pool refuses the notes of the current or the next period.',
  tallystick_preflight_unchecked: '1 while the notes of the current period have no preflight result.',
}

type PreflightMetricsOptions = {
  readonly metrics: Metrics
  readonly time: Pick<Time, 'now'>
  readonly chainIds: readonly number[]
}

/** Registers the preflight metrics of the given chains. */
export function createPreflightMetrics({ metrics, time, chainIds }: PreflightMetricsOptions) {
  const counter = (chain: number, outcome: PreflightOutcome) =>
    metrics.counter('tallystick_preflight_total', { chain, outcome })
  for (const chain of chainIds) for (const outcome of preflightOutcomes) counter(chain, outcome)
  const latest = new Map<string, PreflightOutcome>()
  const currentPeriod = () => periodAt(toSeconds(time.now()))
  const gauge = (family: string, read: (chainId: number) => boolean) =>
    metrics.gauge(family, () => chainIds.map((chain) => ({ labels: { chain }, value: read(chain) ? 1 : 0 })))

  gauge('tallystick_preflight_refused', (chain) => {
    const current = currentPeriod()
    return [current, periodAfter(current)].some(({ start }) => latest.get(`${chain}:${start}`) === 'refused')
  })
  gauge('tallystick_preflight_unchecked', (chain) => {
    const outcome = latest.get(`${chain}:${currentPeriod().start}`)
    return outcome !== 'accepted' && outcome !== 'refused' && outcome !== 'planned'
  })
  return {
    count: ({ chainId, period }: NoteSet, outcome: PreflightOutcome) => {
      counter(chainId, outcome).increment()
      latest.set(`${chainId}:${period.start}`, outcome)
      // Keeps the last periods of each chain.
      for (const key of [...latest.keys()].slice(0, -3 * chainIds.length)) latest.delete(key)
    },
  }
}
