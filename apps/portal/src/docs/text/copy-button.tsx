import { Icon } from '@tallystick/ui'
import { useEffect, useState } from 'preact/hooks'

/** Renders a button that copies a text and says whether that succeeded. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | undefined>(undefined)
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), 2_000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    )
  }
  return (
    <button type="button" class="docs-tool" onClick={copy}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      <span aria-live="polite">
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select and copy the text' : 'Copy'}
      </span>
      <span class="sr-only"> {label}</span>
    </button>
  )
}
