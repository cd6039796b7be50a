import { Icon, useMessage } from '@tallystick/ui'

/** Renders a button that copies a text and says whether that succeeded. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, say] = useMessage(2_000)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Select and copy the text'),
    )
  return (
    <button type="button" class="bare docs-tool middle soft" onClick={copy}>
      <Icon name={outcome === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{outcome || 'Copy'}</span>
      <span class="sr-only"> {label}</span>
    </button>
  )
}
