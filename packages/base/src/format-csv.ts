/** Value of a field. Null is an empty field. A decimal may have more digits than a number. */
export type CsvValue = string | number | null | { readonly decimal: string }

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
  if (typeof value === 'object') return formatDecimal(value.decimal)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A negative number is no formula, but a text that only begins like one may be. */
function formatDecimal(decimal: string): string {
  return /^-?\d+(\.\d+)?$/.test(decimal) ? decimal : formatField(decimal)
}
