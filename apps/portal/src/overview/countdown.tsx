import { formatClock, formatCountdown, useNow, useZone, zoneName } from '@tallystick/ui'
import type { NotesView } from '../data/use-notes.ts'
import { CalendarButton } from './calendar-button.tsx'
import { PeriodStick } from './period-stick.tsx'

/** Renders the time left until the next boundary, and its time. */
export function Countdown({ view }: { readonly view: NotesView | undefined }) {
  const now = useNow(view?.serverOffsetMs ?? 0)
  const zone = useZone()
  if (!view) {
    return (
      <div class="countdown">
        <p class="hint">Next refresh</p>
        <p class="countdown-time muted">––:––:––</p>
      </div>
    )
  }
  const { validFrom, validUntil } = view
  const left = Number(validUntil) - now
  const at = formatClock(validUntil, { zone, near: BigInt(now) })
  return (
    <div class="countdown">
      <p class="hint">{left > 0 ? 'Next refresh in' : 'New notes are due'}</p>
      <p class="countdown-time" role="timer" aria-label="Time until the next refresh">
        {left > 0 ? formatCountdown(left) : 'Refreshing…'}
      </p>
      <PeriodStick start={Number(validFrom)} end={Number(validUntil)} now={now} />
      <p class="countdown-at hint">
        at <time dateTime={new Date(Number(validUntil) * 1000).toISOString()}>{at}</time> {zoneName(zone)}
      </p>
      <CalendarButton />
      <p class="sr-only" role="status">
        {left > 0 ? `Notes valid until ${formatClock(validUntil, { zone })} ${zoneName(zone)}.` : 'New notes are due.'}
      </p>
    </div>
  )
}
