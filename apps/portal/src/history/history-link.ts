import { addDays, countDays, isDate } from '@tallystick/ui'

/** Number of days up to today, or two New York dates, both included. */
export type Range = { readonly days: number } | { readonly from: string; readonly to: string }

/** Choice of the visitor. It is part of the URL. */
export type HistoryChoice = { readonly range: Range; readonly chainId: number }

export const presets: readonly number[] = [7, 30, 90]

/** Two years. Longer ranges take several requests and cannot be read on a chart. */
export const daysMax = 732

/**
 * Parses the query of a link such as `/history?days=30&chain=324`. Parts that are missing keep their present value.
 * Returns a fault, and the present choice, if a part is not valid.
 */
export function parseHistoryLink(
  query: URLSearchParams,
  { present, chainIds }: { readonly present: HistoryChoice; readonly chainIds: readonly number[] },
): { readonly choice: HistoryChoice; readonly fault?: string } {
  const [days, from, to, chain] = ['days', 'from', 'to', 'chain'].map((name) => query.get(name))
  const chainId = chain === null ? present.chainId : chainIds.find((id) => String(id) === chain)
  if (chainId === undefined)
    return { choice: present, fault: 'The link names a chain that this service does not have.' }
  if (days !== null) {
    const preset = presets.find((number) => String(number) === days)
    if (preset === undefined) return { choice: present, fault: `The link must name ${presets.join(', ')} days.` }
    return { choice: { range: { days: preset }, chainId } }
  }
  if (from === null && to === null) return { choice: { range: present.range, chainId } }
  const fault = findRangeFault({ from: from ?? '', to: to ?? '' })
  return fault ? { choice: present, fault } : { choice: { range: { from: from as string, to: to as string }, chainId } }
}

/** Returns the link to a choice. */
export function formatHistoryLink({ range, chainId }: HistoryChoice): string {
  const part = 'days' in range ? `days=${range.days}` : `from=${range.from}&to=${range.to}`
  return `/history?${part}&chain=${chainId}`
}

/** Returns the dates of a range. */
export function datesOf(range: Range, today: string): { readonly from: string; readonly to: string } {
  return 'days' in range ? { from: addDays(today, 1 - range.days), to: today } : range
}

/** Returns what is wrong with two dates, or undefined. */
export function findRangeFault({ from, to }: { readonly from: string; readonly to: string }): string | undefined {
  if (!isDate(from) || !isDate(to)) return 'A range needs two dates that exist, such as 2026-11-01.'
  if (from > to) return 'The first date is after the last date. Swap them.'
  const days = countDays(from, to)
  if (days <= daysMax) return undefined
  return `The range has ${days.toLocaleString('en-US')} days. The page shows at most ${daysMax}. For more, use GET /history/notes.`
}
