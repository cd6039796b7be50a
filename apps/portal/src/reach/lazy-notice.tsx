import { Button, Loading, Notice } from '@tallystick/ui'
import { OutdatedPageError } from './load-chunk.ts'
import { useIsLost } from './page-reachability.ts'

type LazyNoticeProps = {
  /** Why the view could not be loaded. */
  readonly error: unknown
  readonly height: string
  readonly class?: string
}

/** Renders that a view is loading, or why it is not. */
export function LazyNotice({ error, height, class: className = '' }: LazyNoticeProps) {
  const isLost = useIsLost()
  if (error instanceof OutdatedPageError) {
    return (
      <Notice tone="warn" title="The service was updated">
        This page is of the version before. Reload it to open this view.{' '}
        <Button label="Reload" onClick={() => location.reload()} />
      </Notice>
    )
  }
  if (isLost) {
    return (
      <Notice tone="bad" title="This view is not loaded yet">
        The service cannot be reached. The view opens by itself when the network is back.
      </Notice>
    )
  }
  if (error === undefined) return <Loading class={className} text="Loading…" height={height} />
  return (
    <Notice tone="bad" title="This view could not be loaded">
      Reload the page to try again. <Button label="Reload" onClick={() => location.reload()} />
    </Notice>
  )
}
