import { useLoaded } from '@tallystick/ui'
import { LazyNotice } from '../reach/lazy-notice.tsx'
import { loadChunk } from '../reach/load-chunk.ts'
import type { StatementProps } from './statement.tsx'

/** Renders the statement of a wallet. Its code loads when one is opened. */
export function StatementSlot(props: StatementProps) {
  const load = (signal: AbortSignal) => loadChunk('statement', () => import('./statement.tsx'), signal)
  const { value, error } = useLoaded(true, load)
  if (!value) return <LazyNotice error={error} class="card" height="16rem" />
  const Document = value.Statement
  return <Document {...props} />
}
