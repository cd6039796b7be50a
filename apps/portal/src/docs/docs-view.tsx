import { Notice, Skeleton } from '@tallystick/ui'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DocsProps } from './docs.tsx'

/** Renders the documentation. It loads when it is first opened. */
export function DocsView(props: DocsProps) {
  const { isOpen } = props
  const [wasOpened, setWasOpened] = useState(isOpen)
  if (isOpen && !wasOpened) setWasOpened(true)
  return wasOpened ? <LazyDocs {...props} /> : <h1 id="docs-heading">Documentation</h1>
}

function LazyDocs(props: DocsProps) {
  const [Docs, setDocs] = useState<ComponentType<DocsProps> | undefined>(undefined)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    import('./docs.tsx').then(
      (module) => setDocs(() => module.Docs),
      () => setHasFailed(true),
    )
  }, [])
  if (Docs) return <Docs {...props} />
  return (
    <>
      <h1 id="docs-heading" tabIndex={-1}>
        Documentation
      </h1>
      {hasFailed ? (
        <Notice tone="bad" title="The documentation could not be loaded">
          Check your connection and reload the page. The reference for tools is <a href="/openapi.json">openapi.json</a>
          .
        </Notice>
      ) : (
        <div role="status">
          <span class="sr-only">Loading the documentation…</span>
          <Skeleton height="24rem" />
        </div>
      )}
    </>
  )
}
