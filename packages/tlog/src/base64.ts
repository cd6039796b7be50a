const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Encodes bytes as base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3)
    const bits = (a << 16) | (b << 8) | c
    const digits = [18, 12, 6, 0].map((shift) => alphabet[(bits >> shift) & 63])
    const count = Math.min(3, bytes.length - at) + 1
    text += digits.slice(0, count).join('').padEnd(4, '=')
  }
  return text
}

/** Decodes base64 with padding. Returns undefined unless the text is exactly what `encodeBase64` returns for some bytes. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const digits = text.replace(/=+$/, '')
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let count = 0
  let at = 0
  for (const digit of digits) {
    bits = (bits << 6) | alphabet.indexOf(digit)
    count += 6
    if (count < 8) continue
    count -= 8
    bytes[at++] = bits >> count
  }
  return encodeBase64(bytes) === text ? bytes : undefined
}
