import { viewerZone, zoneName } from '../format/format-time.ts'
import { chooseZone, useZoneChoice, type ZoneChoice, zoneChoices } from '../format/zone.ts'
import { Icon } from './icons.tsx'

/** Renders the choice of the time zone of the whole page. */
export function ZonePicker() {
  const choice = useZoneChoice()
  return (
    <label class="tool zone-picker">
      <Icon name="clock" />
      <span class="sr-only">Time zone</span>
      <select value={choice} onChange={(event) => chooseZone(event.currentTarget.value as ZoneChoice)}>
        {zoneChoices.map((name) => (
          <option key={name} value={name}>
            {nameOf(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

function nameOf(choice: ZoneChoice): string {
  if (choice === 'mine') return `Mine, ${zoneName(viewerZone())}`
  return choice === 'utc' ? 'UTC' : 'New York'
}
