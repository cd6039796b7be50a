import { type MetricHelp, type Metrics, type Time, toSeconds } from '@tallystick/base'
import { countBusinessDays, newYorkDate } from '@tallystick/core'
import { feedFailures } from './feed-error.ts'

/** Outcomes of a fetch: the newest rates, older rates that are still usable, or a failure. */
const fetchOutcomes = ['newest', 'behind', ...feedFailures, 'not_stored'] as const
export type FetchOutcome = (typeof fetchOutcomes)[number]

/** Status of the feed after the last fetch. */
export type FeedStatus = {
  /** Date of the newest rates; undefined if there were never any. */
  readonly sourceDate: string | undefined
  readonly vanishedBills: readonly number[]
  readonly problem: string | undefined
  /** Why the rates were not compared with a configured second source. */
  readonly uncompared: string | undefined
}

export const treasuryMetricHelp: MetricHelp = {
  tallystick_treasury_fetches_total: 'Fetches of the Treasury feed, by outcome.',
  tallystick_treasury_source_age_business_days: 'New York business days since the date of the newest Treasury rates.',
  tallystick_treasury_missing_bills: 'ALARM: bills missing from the newest row of the Treasury feed.',
  tallystick_treasury_uncompared:
    'ALARM: 1 while the Treasury rates are not compared with the second source, because it fails or is too old.',
  tallystick_treasury_problem: 'ALARM: 1 if the last fetch of the Treasury feed returned no usable rates.',
}

type TreasuryMetricsOptions = {
  readonly metrics: Metrics
  readonly time: Time
  readonly status: () => FeedStatus
  /** Whether a second source is configured. */
  readonly isCompared: boolean
}

/** Registers the metrics of the feed. All series exist from the start, so that alerts can distinguish 0 from missing. */
export function createTreasuryMetrics({ metrics, time, status, isCompared }: TreasuryMetricsOptions) {
  const fetches = (outcome: FetchOutcome) => metrics.counter('tallystick_treasury_fetches_total', { outcome })
  for (const outcome of fetchOutcomes) fetches(outcome)
  metrics.gauge('tallystick_treasury_source_age_business_days', () => {
    const { sourceDate: after } = status()
    return after ? [{ value: countBusinessDays({ after, upTo: newYorkDate(toSeconds(time.now())) }) }] : []
  })
  metrics.gauge('tallystick_treasury_missing_bills', () => [{ value: status().vanishedBills.length }])
  metrics.gauge('tallystick_treasury_problem', () => [{ value: status().problem === undefined ? 0 : 1 }])
  if (isCompared) {
    metrics.gauge('tallystick_treasury_uncompared', () => [{ value: status().uncompared === undefined ? 0 : 1 }])
  }
  return { fetched: (outcome: FetchOutcome) => fetches(outcome).increment() }
}
