import type { NotesView } from '../data/use-notes.ts'
import { useNow } from '../data/use-now.ts'
import { formatClock, formatCountdown, newYorkZone, viewerZone, zoneName } from '../format/format-time.ts'
import { CalendarButton } from './calendar-button.tsx'
import { PeriodStick } from './period-stick.tsx'

/** Renders the time left until the next boundary, and its time in New York and for the visitor. */
export function Countdown({ view }: { readonly view: NotesView | undefined }) {
  const now = useNow(view?.serverOffsetMs ?? 0)
  if (!view) {
    return (
      <div class="countdown">
        <p class="countdown-label">Next refresh</p>
        <p class="countdown-time countdown-idle">––:––:––</p>
      </div>
    )
  }
  const { validFrom, validUntil } = view
  const left = Number(validUntil) - now
  const zone = viewerZone()
  const at = (where: string) => formatClock(validUntil, { zone: where, near: BigInt(now) })
  return (
    <div class="countdown">
      <p class="countdown-label">{left > 0 ? 'Next refresh in' : 'New notes are due'}</p>
      <p class="countdown-time" role="timer" aria-label="Time until the next refresh">
        {left > 0 ? formatCountdown(left) : 'Refreshing…'}
      </p>
      <PeriodStick start={Number(validFrom)} end={Number(validUntil)} now={now} />
      <dl class="countdown-zones">
        <div>
          <dt>New York</dt>
          <dd>{at(newYorkZone)}</dd>
        </div>
        <div>
          <dt>{zone === newYorkZone ? 'You' : `You, ${zoneName(zone)}`}</dt>
          <dd>{at(zone)}</dd>
        </div>
      </dl>
      <CalendarButton />
      <p class="sr-only" role="status">
        {left > 0
          ? `Notes valid until ${formatClock(validUntil, { zone: newYorkZone })} New York.`
          : 'New notes are due.'}
      </p>
    </div>
  )
}
