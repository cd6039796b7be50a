/**
 * Shortens an address or a hash for display.
 *
 * @example
 * shortHex('0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781') // '0x529d…6781'
 */
export function shortHex(hex: string): string {
  return hex.length <= 13 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
