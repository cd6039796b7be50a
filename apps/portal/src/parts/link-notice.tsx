import { Notice } from '@tallystick/ui'

/** Renders what a link names and the page cannot show, with what it shows instead. Renders nothing without a fault. */
export function LinkNotice({ faults }: { readonly faults: readonly string[] }) {
  if (faults.length === 0) return null
  return <Notice tone="warn" title="The link cannot be followed completely" text={faults.join(' ')} />
}
