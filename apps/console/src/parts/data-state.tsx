import { Notice, type Polled } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { formatClockTime } from './format.ts'

type DataStateProps<Value> = {
  readonly data: Polled<Value> & { readonly atMs: number }
  readonly children: (value: Value) => ComponentChildren
}

/** Renders what is known of a route: nothing yet, an error, or its last answer, marked if it is old. */
export function DataState<Value>({ data, children }: DataStateProps<Value>) {
  const { value, atMs } = data
  const error = data.error as Error | undefined
  if (value === undefined && error) return <Notice tone="bad" title="This cannot be shown" text={error.message} />
  if (value === undefined) return <p class="muted">Loading…</p>
  return (
    <>
      {error ? (
        <Notice tone="warn" title={`Out of date: this is from ${formatClockTime(atMs)}`}>
          {error.message} The page tries again by itself.
        </Notice>
      ) : null}
      <div class={error ? 'stale' : undefined}>{children(value)}</div>
    </>
  )
}
