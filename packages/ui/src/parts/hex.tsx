import { useMessage } from '../hooks/use-message.ts'

/** Renders a shortened address or hash. A click copies the full value. */
export function Hex({ value }: { readonly value: string }) {
  const [message, say] = useMessage(1_500)
  // Without clipboard permission the full value is still in the title.
  const copy = () => void navigator.clipboard.writeText(value).then(() => say('Copied'), ignore)
  const label = `${shortHex(value)}, copy the full value`
  return (
    <button type="button" class="bare hex" onClick={copy} title={value} aria-label={label}>
      {shortHex(value)}
      {message === '' ? null : (
        <span class="hex-copied" role="status">
          {message}
        </span>
      )}
    </button>
  )
}

const ignore = () => undefined

/**
 * Shortens an address or a hash for display.
 *
 * @example
 * shortHex('0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781') // '0x529d…6781'
 */
export function shortHex(hex: string): string {
  return hex.length <= 13 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
