/**
 * Returns a number with its noun, in the plural unless it is 1.
 *
 * @example
 * countOf(1, 'entry', 'entries') // '1 entry'
 * countOf(0, 'note') // '0 notes'
 */
export function countOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${count} ${String(count) === '1' ? noun : plural}`
}
