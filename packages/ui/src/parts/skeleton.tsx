/** Renders a placeholder for content that is loading. */
export function Skeleton({ width = '100%', height = '1em' }: { readonly width?: string; readonly height?: string }) {
  return <span class="skeleton" style={{ width, height }} aria-hidden="true" />
}
