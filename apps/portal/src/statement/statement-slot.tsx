import { Loading, Notice, useLoaded } from '@tallystick/ui'
import type { StatementProps } from './statement.tsx'

/** Renders the statement of a wallet. Its code loads when one is opened. */
export function StatementSlot(props: StatementProps) {
  const { value: Statement, error } = useLoaded(true, async () => (await import('./statement.tsx')).Statement)
  if (Statement) return <Statement {...props} />
  if (error === undefined) return <Loading class="card" text="Loading…" height="16rem" />
  return (
    <Notice tone="bad" title="The statement cannot be loaded">
      Reload the page. If the service was updated while the page was open, this is necessary once.
    </Notice>
  )
}
