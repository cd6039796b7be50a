import type { MetricHelp, Metrics } from '@tallystick/base'
import { eventTypes } from '@tallystick/core'

const endReasons = ['client', 'slow', 'key', 'failed', 'stop'] as const

/** Why a stream ended. `client` closed it, or its connection failed. */
export type EndReason = (typeof endReasons)[number]

export type EventMetrics = ReturnType<typeof createEventMetrics>

export const eventMetricHelp: MetricHelp = {
  tallystick_event_streams: 'Streams open on /events.',
  tallystick_event_streams_ended_total:
    'Streams that ended, by reason: client, slow (the client did not read), key (revoked or expired), failed (the database), stop.',
  tallystick_event_streams_refused_total: 'Streams refused, by the exceeded bound: key or all.',
  tallystick_events_appended_total: 'Events that this replica appended, by type.',
  tallystick_events_sent_total: 'Events sent, counted once for each stream.',
}

/** Registers the metrics of events. All series exist from the start. */
export function createEventMetrics(metrics: Metrics, countStreams: () => number) {
  const ended = (reason: EndReason) => metrics.counter('tallystick_event_streams_ended_total', { reason })
  const refused = (bound: string) => metrics.counter('tallystick_event_streams_refused_total', { bound })
  const appended = (type: string) => metrics.counter('tallystick_events_appended_total', { type })
  for (const reason of endReasons) ended(reason)
  for (const bound of ['key', 'all']) refused(bound)
  for (const type of eventTypes) appended(type)
  let sent = 0
  metrics.gauge('tallystick_event_streams', () => [{ value: countStreams() }])
  metrics.readCounter('tallystick_events_sent_total', () => [{ value: sent }])
  return {
    appended: (type: string) => appended(type).increment(),
    sent: (count: number) => {
      sent += count
    },
    ended: (reason: EndReason) => ended(reason).increment(),
    refused: (bound: 'key' | 'all') => refused(bound).increment(),
  }
}
