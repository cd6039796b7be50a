/** Period of a limit: a minute, or a UTC day or month of a quota. */
export type LeasePeriod = 'minute' | 'day' | 'month'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Returns the number of the window that contains an instant of the database's clock. `offsetMs` shifts minutes only. */
export function windowNumberAt(period: LeasePeriod, databaseMs: number, offsetMs: number): number {
  if (period === 'minute') return Math.floor((databaseMs - offsetMs) / minuteMs)
  if (period === 'day') return Math.floor(databaseMs / dayMs)
  const date = new Date(databaseMs)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Returns when a window starts, by the database's clock in ms. It ends when the next one starts. */
export function windowStartMs(period: LeasePeriod, windowNumber: number, offsetMs: number): number {
  if (period === 'minute') return windowNumber * minuteMs + offsetMs
  if (period === 'day') return windowNumber * dayMs
  return Date.UTC(Math.floor(windowNumber / 12), windowNumber % 12)
}

/** Returns the offset of a key's minutes, so that the minutes of all keys do not start together. */
export function minuteOffsetMs(keyId: string): number {
  return hashText(keyId) % minuteMs
}

/** Returns the 32-bit FNV-1a hash of a text. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
