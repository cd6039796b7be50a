import { defaultMinRemaining } from '@tallystick/client'

export type TermsState = {
  /**
   * `counted`: the last ten minutes. `ending`: less than the SDK's margin is left, so that a lend would probably be mined too
   * late. `over`: the pool accepts the note no longer.
   */
  readonly phase: 'holding' | 'counted' | 'ending' | 'over'
  /** Seconds until the end of the note's period. */
  readonly left: number
}

const countedSeconds = 600

/**
 * Returns how long the terms of a note hold. `now` is the service's time: that of the visitor may be wrong.
 *
 * @example
 * termsAt(1794610200, 1794610800n) // { phase: 'counted', left: 600 }
 */
export function termsAt(now: number, validBefore: bigint): TermsState {
  const left = Math.max(0, Number(validBefore) - now)
  if (left === 0) return { phase: 'over', left }
  if (left < defaultMinRemaining) return { phase: 'ending', left }
  return { phase: left <= countedSeconds ? 'counted' : 'holding', left }
}

const minutes = [1, 2, 5, 10]

/** Returns what a screen reader says about the time left. It changes five times, not every second. */
export function announceTerms({ phase, left }: TermsState): string {
  if (phase === 'holding' || phase === 'over') return ''
  if (phase === 'ending') return 'These terms expire in a moment. The form then takes the next note by itself.'
  const within = minutes.find((count) => left <= count * 60) as number
  return `These terms hold for ${within === 1 ? 'one more minute' : `${within} more minutes`} at most.`
}
