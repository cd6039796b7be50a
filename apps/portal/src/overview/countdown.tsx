import {
  download,
  formatClock,
  formatCountdown,
  Ghost,
  Icon,
  useAction,
  useNow,
  useZone,
  zoneName,
} from '@tallystick/ui'
import type { NotesView } from '../data/use-notes.ts'
import { fetchService } from '../reach/page-reachability.ts'

/** Renders the time left until the next boundary, and its time. */
export function Countdown({ view }: { readonly view: NotesView | undefined }) {
  const now = useNow(view?.serverOffsetMs ?? 0)
  const zone = useZone()
  if (!view) {
    return (
      <div class="countdown">
        <p class="hint">Next refresh</p>
        <p class="countdown-time bold muted">––:––:––</p>
        <PeriodStick start={0} end={18 * 3600} now={0} />
        <p class="countdown-at hint">
          <Ghost text="at 18:00 New York" />
        </p>
        <CalendarButton />
      </div>
    )
  }
  const { validFrom, validUntil } = view
  const left = Number(validUntil) - now
  const at = formatClock(validUntil, { zone, near: BigInt(now) })
  return (
    <div class="countdown">
      <p class="hint">{left > 0 ? 'Next refresh in' : 'New notes are due'}</p>
      <p class="countdown-time bold" role="timer" aria-label="Time until the next refresh">
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

// The periods of a quarter. A calendar that has more is slow to show.
const days = 92

/** Renders a button that saves the coming periods as a calendar file. A link could not ask for that format of `/calendar`. */
function CalendarButton() {
  const save = useAction<void>(async () => download('tallystick-periods.ics', await fetchCalendar(), 'text/calendar'))
  return (
    <p class="countdown-calendar">
      <button type="button" class="tool" onClick={() => void save.run()}>
        <Icon name="calendar" />
        Add to calendar (.ics)
      </button>
      {save.error ? (
        <span class="bad" role="alert">
          The calendar cannot be loaded. Try again.
        </span>
      ) : null}
    </p>
  )
}

async function fetchCalendar(): Promise<string> {
  const response = await fetchService(`/calendar?days=${days}`, { headers: { accept: 'text/calendar' } })
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`)
  return response.text()
}

const height = 18
const width = 360

type PeriodStickProps = {
  readonly start: number
  readonly end: number
  readonly now: number
}

/** Renders the progress of a period as a tally stick with one notch per hour. */
function PeriodStick({ start, end, now }: PeriodStickProps) {
  const hours = Math.round((end - start) / 3600)
  const passed = Math.min(1, Math.max(0, (now - start) / (end - start)))
  return (
    <svg class="stick block full" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <clipPath id="stick-passed">
        <rect width={passed * width} height={height} />
      </clipPath>
      <path class="stick-wood" d={outline(hours)} />
      <path class="stick-cut" d={outline(hours)} clip-path="url(#stick-passed)" />
    </svg>
  )
}

function outline(hours: number): string {
  const step = width / hours
  const notches = Array.from({ length: hours - 1 }, (_, index) => {
    const x = (index + 1) * step
    // Every sixth notch is deeper.
    const depth = (index + 1) % 6 === 0 ? 12 : 6.5
    return `H${(x - 3.2).toFixed(2)}L${x.toFixed(2)} ${depth}L${(x + 3.2).toFixed(2)} 0`
  })
  return `M2 0${notches.join('')}H${width - 2}L${width} 2V${height}H0V2Z`
}
