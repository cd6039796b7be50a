import { formatDate, formatInstant, formatTime, isFar, zoneName } from '../format/format-time.ts'
import { useZone } from '../format/zone.ts'

type InstantProps = {
  /** Unix seconds. */
  readonly seconds: bigint
  readonly only?: 'date' | 'time' | undefined
  readonly id?: string | undefined
}

/**
 * Renders an instant in the zone of the page, as date and time with the name of the zone, or as a date, or as the time of an
 * instant that is near.
 */
export function Instant({ seconds, only, id }: InstantProps) {
  const zone = useZone()
  // A note that is not genuine may name any instant.
  if (isFar(seconds)) return <>{`${seconds}, far in the future`}</>
  const whole = `${formatInstant(seconds, zone)} ${zoneName(zone)}`
  return (
    <time id={id} dateTime={new Date(Number(seconds) * 1000).toISOString()} title={only ? whole : undefined}>
      {only === undefined ? whole : (only === 'date' ? formatDate : formatTime)(seconds, zone)}
    </time>
  )
}
