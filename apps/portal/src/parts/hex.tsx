import { useState } from 'preact/hooks'
import { shortHex } from '../format/short-hex.ts'

/** An address or a hash: short to look at, whole for the clipboard. */
export function Hex({ value }: { readonly value: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => {
    navigator.clipboard.writeText(value).then(
      () => {
        setIsCopied(true)
        setTimeout(() => setIsCopied(false), 1_500)
      },
      // Without leave to write the clipboard the whole value is still there to see, in the title.
      () => undefined,
    )
  }
  return (
    <button type="button" class="hex" onClick={copy} title={value} aria-label={`${shortHex(value)}, copy all of it`}>
      {shortHex(value)}
      {isCopied ? (
        <span class="hex-copied" role="status">
          Copied
        </span>
      ) : null}
    </button>
  )
}
