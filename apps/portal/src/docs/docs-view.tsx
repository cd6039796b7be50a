import { Loading, Notice, useLoaded } from '@tallystick/ui'
import type { DocsProps } from './docs.tsx'

/** Renders the documentation. It loads when it is first opened. */
export function DocsView(props: DocsProps) {
  const { value: Component, error } = useLoaded(props.isOpen, async () => (await import('./docs.tsx')).Docs)
  if (Component) return <Component {...props} />
  return (
    <>
      <h1 id="docs-heading" tabIndex={-1}>
        Documentation
      </h1>
      {error !== undefined ? (
        <Notice tone="bad" title="The documentation could not be loaded">
          Check your connection and reload the page. The reference for tools is <a href="/openapi.json">openapi.json</a>
          .
        </Notice>
      ) : (
        props.isOpen && <Loading text="Loading the documentation…" height="24rem" />
      )}
    </>
  )
}
