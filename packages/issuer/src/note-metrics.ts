import { type MetricHelp, type Metrics, type Time, toSeconds } from '@tallystick/base'
import { periodAfter, periodAt } from '@tallystick/core'
import type { PublishedNotes } from './published-notes.ts'
import { type Refusal, refusalReasons } from './refusal.ts'
import { type SignerFailure, signerFailures } from './signers/signer.ts'

export type NoteMetrics = ReturnType<typeof createNoteMetrics>

export const noteMetricHelp: MetricHelp = {
  tallystick_boundary_seconds: 'Seconds until the current New York period ends.',
  tallystick_notes: 'Notes served now.',
  tallystick_notes_age_seconds: 'Seconds since the notes served now were signed.',
  tallystick_notes_unavailable: 'ALARM: 1 while there are no notes for the current period.',
  tallystick_next_period_signed: '1 once the notes of the next period are signed and in memory.',
  tallystick_rail_refusals_total: 'Note sets that were not signed or not published, by reason.',
  tallystick_signer_failures_total: 'Failed or invalid signatures, by failure.',
}

type NoteMetricsOptions = {
  readonly metrics: Metrics
  readonly time: Pick<Time, 'now'>
  readonly published: PublishedNotes
  readonly chainIds: readonly number[]
}

/** Registers the metrics of issuing. All series exist from the start, so that alerts can distinguish 0 from missing. */
export function createNoteMetrics({ metrics, time, published, chainIds }: NoteMetricsOptions) {
  const refusals = (chain: number, reason: string) =>
    metrics.counter('tallystick_rail_refusals_total', { chain, reason })
  const failures = (failure: string) => metrics.counter('tallystick_signer_failures_total', { failure })
  for (const chain of chainIds) for (const reason of refusalReasons) refusals(chain, reason)
  for (const failure of signerFailures) failures(failure)

  const gauge = (family: string, read: (chainId: number) => number | undefined) =>
    metrics.gauge(family, () =>
      chainIds.flatMap((chain) => {
        const value = read(chain)
        return value === undefined ? [] : [{ labels: { chain }, value }]
      }),
    )
  const current = (chainId: number) => published.at(time.now())?.sets.get(chainId)
  metrics.gauge('tallystick_boundary_seconds', () => [
    { value: Number(periodAt(toSeconds(time.now())).end) - time.now() / 1000 },
  ])
  gauge('tallystick_notes', (chain) => current(chain)?.notes.length ?? 0)
  gauge('tallystick_notes_age_seconds', (chain) => {
    const set = current(chain)
    return set && time.now() / 1000 - Number(set.issuedAt)
  })
  gauge('tallystick_notes_unavailable', (chain) => (current(chain) ? 0 : 1))
  gauge('tallystick_next_period_signed', (chain) => {
    const next = periodAfter(periodAt(toSeconds(time.now())))
    return published.find(chain, next.start) ? 1 : 0
  })
  return {
    refused: (chainId: number, reason: Refusal['reason']) => refusals(chainId, reason).increment(),
    signerFailed: (failure: SignerFailure) => failures(failure).increment(),
  }
}
