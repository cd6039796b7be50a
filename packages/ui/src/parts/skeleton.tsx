/** Renders a placeholder for content that is loading. */
export function Skeleton({ width = '100%', height = '1em' }: { readonly width?: string; readonly height?: string }) {
  return <span class="skeleton" style={{ width, height }} aria-hidden="true" />
}

/** Renders a placeholder that screen readers announce. */
export function Loading({ text, height, ...attributes }: { readonly text: string; height: string; class?: string }) {
  return (
    <div {...attributes} role="status">
      <span class="sr-only">{text}</span>
      <Skeleton height={height} />
    </div>
  )
}

/** Renders a placeholder that takes the lines that `text` would take. Nobody reads the text. */
export function Ghost({ text }: { readonly text: string }) {
  return <span class="ghost" data-text={text} aria-hidden="true" />
}
