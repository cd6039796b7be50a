import type { RateAnswer } from '@tallystick/client'
import { type Polled, usePolled } from '@tallystick/ui'
import { useCallback, useRef } from 'preact/hooks'
import type { Session } from './session.ts'

// Rates change once a day, but the pool's status and the data's lag change all the time.
const intervalMs = 20_000

/**
 * Returns the rates and the state of every pool. `period` is the start of the current period, if it is known: a new one
 * has new rates. The first request does not wait for it and is not repeated when it becomes known.
 */
export function useRate(session: Session | undefined, period: bigint | undefined): Polled<RateAnswer> {
  const first = useRef(period)
  first.current ??= period
  const laterPeriod = period === first.current ? undefined : period
  const request = useCallback(
    (signal: AbortSignal) => (session as Session).client.rate({ signal }),
    [session, laterPeriod],
  )
  return usePolled(session && request, intervalMs)
}
