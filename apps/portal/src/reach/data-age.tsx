import { formatSecond, useZone } from '@tallystick/ui'
import { useRef } from 'preact/hooks'
import { useAnsweredAt, useIsLost } from './page-reachability.ts'

type DataAgeProps = {
  /** When the polled data came, by this browser's clock. 0 if nothing is polled. */
  readonly atMs: number
  readonly serverOffsetMs: number
}

/** Renders how old the data of the page is, and whether the service is being waited for. */
export function DataAge({ atMs, serverOffsetMs }: DataAgeProps) {
  const isLost = useIsLost()
  const answeredAtMs = useAnsweredAt()
  const wasLost = useRef(false)
  wasLost.current ||= isLost
  const zone = useZone()
  const shownMs = atMs || answeredAtMs
  const seconds = shownMs === undefined ? undefined : BigInt(Math.floor((shownMs + serverOffsetMs) / 1000))
  return (
    <>
      <p class={isLost ? 'data-age hint is-lost' : 'data-age hint'}>
        {isLost ? 'Reconnecting. ' : null}
        {seconds === undefined ? null : (
          <>
            Data from{' '}
            <time dateTime={new Date(Number(seconds) * 1000).toISOString()}>{formatSecond(seconds, zone)}</time>
          </>
        )}
      </p>
      {/* Only a change of the connection is read out, not each new time. */}
      <p class="sr-only" role="status">
        {isLost
          ? 'The service does not respond. Reconnecting.'
          : wasLost.current
            ? 'The service responds again.'
            : null}
      </p>
    </>
  )
}
