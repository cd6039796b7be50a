import { download, Icon } from '@tallystick/ui'
import { useState } from 'preact/hooks'

// The periods of a quarter. A calendar that has more is slow to show.
const days = 92

/** Renders a button that saves the coming periods as a calendar file. A link could not ask for that format of `/calendar`. */
export function CalendarButton() {
  const [hasFailed, setHasFailed] = useState(false)
  const save = () =>
    fetchCalendar().then(
      (text) => {
        setHasFailed(false)
        download('tallystick-periods.ics', text, 'text/calendar')
      },
      () => setHasFailed(true),
    )
  return (
    <p class="countdown-calendar">
      <button type="button" class="tool" onClick={() => void save()}>
        <Icon name="calendar" />
        Add to calendar (.ics)
      </button>
      {hasFailed ? <span role="alert">The calendar cannot be loaded. Try again.</span> : null}
    </p>
  )
}

async function fetchCalendar(): Promise<string> {
  const response = await fetch(`/calendar?days=${days}`, { headers: { accept: 'text/calendar' } })
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`)
  return response.text()
}
