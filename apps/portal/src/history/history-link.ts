import { addDays, countDays, isDate } from '@tallystick/ui'

/** Number of days up to today, or two New York dates, both included. */
export type Range = { readonly days: number } | { readonly from: string; readonly to: string }

/** What the visitor has chosen in the charts and tables. */
export type PanelChoice = {
  /** Tenors whose lines are hidden. */
  readonly hidden?: readonly number[] | undefined
  /** Start of the period at the cursor, in Unix seconds. Undefined for the newest. */
  readonly period?: number | undefined
  /** UTC day at the cursor. Undefined for the newest. */
  readonly day?: string | undefined
}

/** Choice of the visitor. It is part of the URL. */
export type HistoryChoice = PanelChoice & { readonly range: Range; readonly chainId: number }

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
  if ([days, from, to, chain, ...panelNames.map((name) => query.get(name))].every((value) => value === null)) {
    return { choice: present }
  }
  const chainId = chain === null ? present.chainId : chainIds.find((id) => String(id) === chain)
  if (chainId === undefined)
    return { choice: present, fault: 'The link names a chain that this service does not have.' }
  const panels = parsePanels(query)
  if (!panels) return { choice: present, fault: 'The link names a line, a period or a day that cannot exist.' }
  if (days !== null) {
    const preset = presets.find((number) => String(number) === days)
    if (preset === undefined) return { choice: present, fault: `The link must name ${presets.join(', ')} days.` }
    return { choice: { range: { days: preset }, chainId, ...panels } }
  }
  if (from === null && to === null) return { choice: { range: present.range, chainId, ...panels } }
  const range = { from: from ?? '', to: to ?? '' }
  const fault = findRangeFault(range)
  return fault ? { choice: present, fault } : { choice: { range, chainId, ...panels } }
}

const panelNames = ['hide', 'period', 'day']

/** Parses what a link names in the charts, or returns undefined if a part is not valid. */
function parsePanels(query: URLSearchParams): PanelChoice | undefined {
  const [hide, period, day] = panelNames.map((name) => query.get(name))
  if (hide && !/^[1-9]\d{0,3}(,[1-9]\d{0,3}){0,31}$/.test(hide)) return undefined
  if (period && !/^\d{1,10}$/.test(period)) return undefined
  if (day && !isDate(day)) return undefined
  return {
    hidden: hide ? hide.split(',').map(Number) : undefined,
    period: period ? Number(period) : undefined,
    day: day || undefined,
  }
}

/** Returns the link to a choice. */
export function formatHistoryLink({ range, chainId, hidden, period, day }: HistoryChoice): string {
  const part = 'days' in range ? `days=${range.days}` : `from=${range.from}&to=${range.to}`
  const hide = hidden?.length ? `&hide=${hidden.join(',')}` : ''
  const at = `${period === undefined ? '' : `&period=${period}`}${day === undefined ? '' : `&day=${day}`}`
  return `/history?${part}&chain=${chainId}${hide}${at}`
}

/** Describes what is shown, for a link that cannot be followed. */
export function describeRange(range: Range): string {
  return 'days' in range ? `the last ${range.days} days` : `${range.from} to ${range.to}`
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
