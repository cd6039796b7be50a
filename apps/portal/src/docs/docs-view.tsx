import { useLoaded } from '@tallystick/ui'
import { LazyNotice } from '../reach/lazy-notice.tsx'
import { loadChunk } from '../reach/load-chunk.ts'
import type { DocsProps } from './docs.tsx'

/** Renders the documentation. It loads when it is first opened. */
export function DocsView(props: DocsProps) {
  const { value, error } = useLoaded(props.isOpen, (signal) => loadChunk('docs', () => import('./docs.tsx'), signal))
  const Component = value?.Docs
  if (Component) return <Component {...props} />
  return (
    <>
      <h1 id="docs-heading" tabIndex={-1}>
        Documentation
      </h1>
      {props.isOpen ? <LazyNotice error={error} height="24rem" /> : null}
    </>
  )
}
