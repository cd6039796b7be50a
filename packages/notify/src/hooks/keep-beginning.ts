import type { HttpHead } from '@tallystick/chain'
import type { DeliveryResponse } from '@tallystick/core'

/** Collects the beginning of a body as it arrives. */
export type ReplyBeginning = ReturnType<typeof keepBeginning>

// An error message with its context. Deliveries keep this five times each.
const bodyBytesMax = 1_024
const headersMax = 16
const headerLengthMax = 120
// Cookies and challenges of the receiver may be secrets of it.
const hiddenHeaders = /cookie|auth|token|secret|key|signature/

/** Creates a collector of the first 1,024 bytes of a body, and of some headers. Their texts can be stored in any database. */
export function keepBeginning() {
  const chunks: Buffer[] = []
  let kept = 0
  let length = 0
  return {
    add: (chunk: Buffer) => {
      length += chunk.length
      if (kept >= bodyBytesMax) return
      const part = chunk.subarray(0, bodyBytesMax - kept)
      kept += part.length
      // A copy: the parser reuses its memory.
      chunks.push(Buffer.from(part))
    },
    read: ({ headers }: Pick<HttpHead, 'headers'>, isCutOff: boolean): DeliveryResponse => ({
      headers: Object.entries(headers)
        .filter(([name]) => !hiddenHeaders.test(name))
        .slice(0, headersMax)
        .map(([name, value]) => [clean(name).slice(0, headerLengthMax), shorten([value ?? ''].flat().join(', '))]),
      // Cut before it is decoded: half of a character becomes U+FFFD, which every database stores.
      body: clean(Buffer.concat(chunks).toString('utf8')),
      isCut: isCutOff || length > kept,
    }),
  }
}

function shorten(value: string): string {
  const text = clean(value)
  return text.length > headerLengthMax ? `${text.slice(0, headerLengthMax)}…` : text
}

/** Replaces control characters, which databases reject and terminals obey, except for line breaks and tabs. */
function clean(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '\u{fffd}')
}
