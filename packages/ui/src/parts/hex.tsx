import { useState } from 'preact/hooks'
import { shortHex } from '../format/short-hex.ts'

/** Renders a shortened address or hash. A click copies the full value. */
export function Hex({ value }: { readonly value: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => {
    navigator.clipboard.writeText(value).then(
      () => {
        setIsCopied(true)
        setTimeout(() => setIsCopied(false), 1_500)
      },
      // Without clipboard permission the full value is still in the title.
      () => undefined,
    )
  }
  return (
    <button
      type="button"
      class="hex"
      onClick={copy}
      title={value}
      aria-label={`${shortHex(value)}, copy the full value`}
    >
      {shortHex(value)}
      {isCopied ? (
        <span class="hex-copied" role="status">
          Copied
        </span>
      ) : null}
    </button>
  )
}
