import { viewerZone, zoneName } from '../format/format-time.ts'
import { chooseZone, useZoneChoice, type ZoneChoice, zoneChoices } from '../format/zone.ts'
import { Select } from './choices.tsx'
import { Icon } from './icons.tsx'

/** Renders the choice of the time zone of the whole page. */
export function ZonePicker() {
  const names = { 'new-york': 'New York', utc: 'UTC', mine: `Mine, ${zoneName(viewerZone())}` }
  return (
    <label class="tool zone-picker" for="zone">
      <Icon name="clock" />
      <span class="sr-only">Time zone</span>
      <Select
        id="zone"
        value={useZoneChoice()}
        options={zoneChoices.map((choice) => [choice, names[choice]])}
        onChoose={(choice) => chooseZone(choice as ZoneChoice)}
      />
    </label>
  )
}
