/**
 * Returns the CRC-32 of ASCII text (ISO 3309, as in zip and PNG) as an unsigned 32-bit number.
 *
 * @example
 * crc32('123456789') // 0xcbf43926
 */
export function crc32(ascii: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < ascii.length; index++) {
    crc ^= ascii.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
