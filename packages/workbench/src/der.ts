// The part of DER (ITU-T X.690) that certificates need. Each function returns an element: tag, length, content.

export function sequence(...elements: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(elements))
}

export function setOf(member: Buffer): Buffer {
  return element(0x31, member)
}

/** Encodes a big-endian number without leading zeros, except the one that keeps it positive. */
export function integer(bytes: Buffer): Buffer {
  const digits = bytes.toString('hex').replace(/^(00)+(?=..)/, '')
  return element(0x02, Buffer.from(digits >= '80' ? `00${digits}` : digits, 'hex'))
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.of(value ? 0xff : 0))
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.of(unusedBits), bytes]))
}

export function octetString(bytes: Buffer): Buffer {
  return element(0x04, bytes)
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text))
}

/** Encodes whole seconds as UTCTime until 2049 and as GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
export function time(instant: Date): Buffer {
  const digits = instant.toISOString().replace(/[-:T]|\.\d+/g, '')
  return instant.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits))
}

/** Encodes an object identifier such as 2.5.29.17. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const arcs = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f]
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return element(0x06, Buffer.from(arcs))
}

/** Encodes a context-specific element `[number]`. It is `constructed` if it contains other elements. */
export function tagged(number: number, content: Buffer, { constructed }: { readonly constructed: boolean }): Buffer {
  return element((constructed ? 0xa0 : 0x80) | number, content)
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size: number[] = []
  for (let left = length; left > 0; left >>= 8) size.unshift(left & 0xff)
  const header = length < 0x80 ? [tag, length] : [tag, 0x80 | size.length, ...size]
  return Buffer.concat([Buffer.from(header), content])
}
