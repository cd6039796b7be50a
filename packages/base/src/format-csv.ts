/** Value of a field. Null is an empty field. */
export type CsvValue = string | number | null

/**
 * Formats a table as CSV (RFC 4180) with a header row. A text that a spreadsheet would run as a formula gets an
 * apostrophe in front.
 *
 * @example
 * formatCsv(['day', 'coupon'], [['2026-11-14', '369']]) // 'day,coupon\r\n2026-11-14,369\r\n'
 */
export function formatCsv(header: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return [header, ...rows].map((row) => `${row.map(formatField).join(',')}\r\n`).join('')
}

function formatField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
