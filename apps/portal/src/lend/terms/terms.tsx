import type { OfferedNote } from '@tallystick/client'
import { formatCountdown, Instant, Notice } from '@tallystick/ui'
import { useRef } from 'preact/hooks'
import { describeChange, type FollowedTerms, followTerms } from './follow-terms.ts'
import { announceTerms, termsAt } from './terms-at.ts'

type TermsProps = {
  readonly note: OfferedNote
  /** The service's time, in Unix seconds. */
  readonly now: number
}

/** Renders until when the terms of a note hold. The last ten minutes are counted down. */
export function Terms({ note, now }: TermsProps) {
  const state = termsAt(now, note.validBefore)
  const { phase, left } = state
  const isCounted = phase === 'counted' || phase === 'ending'
  return (
    <div class="spread terms">
      <p class="hint">
        {phase === 'over' ? 'These terms held until ' : 'These terms hold until '}
        <Instant seconds={note.validBefore} id="terms-until" />.
      </p>
      {isCounted ? (
        <p class={phase === 'ending' ? 'bold bad' : 'bold'} role="timer" aria-label="Time left for these terms">
          {formatCountdown(left).slice(3)}
        </p>
      ) : null}
      <p class="sr-only" role="status">
        {announceTerms(state)}
      </p>
    </div>
  )
}

type TermsChangeProps = Record<'note' | 'lentNote', OfferedNote | undefined> & {
  /** Whether there is room for it. It follows the notes nevertheless. */
  readonly isShown: boolean
}

/** Renders what a new period changed, until the visitor lends in it or chooses another note. */
export function TermsChange({ note, lentNote, isShown }: TermsChangeProps) {
  const followed = useRef<FollowedTerms>({})
  followed.current = followTerms(followed.current, note)
  const { replaced } = followed.current
  if (!isShown || !replaced || !note || lentNote?.validBefore === note.validBefore) return null
  return <Notice tone="calm" title="New terms" text={describeChange(replaced, note)} />
}
