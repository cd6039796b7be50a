/** Coupons in basis points by tenor in days. */
type Points = Readonly<Record<string, number>>

export type Drawing = {
  readonly now: Points
  readonly next: Points
  /** Width of the terminal in characters. */
  readonly columns: number
}

const rowsMax = 8
const slotWidthMin = 5
const slotWidthMax = 12

/**
 * Draws two curves with characters: basis points on the vertical axis, one equal slot for each tenor. Returns an empty
 * string if there are no points or the terminal is too narrow.
 */
export function drawCurve({ now, next, columns }: Drawing): string {
  const tenors = sortedTenors(now, next)
  const values = [...Object.values(now), ...Object.values(next)]
  if (values.length === 0) return ''
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const labelWidth = Math.max(String(high).length, String(low).length) + 2
  const slotWidth = Math.min(Math.floor((columns - labelWidth - 2) / tenors.length), slotWidthMax)
  if (slotWidth < slotWidthMin) return ''
  const rows = Math.min(high - low + 1, rowsMax)
  const rowOf = (bps: number) => (rows === 1 ? 0 : Math.round(((high - bps) * (rows - 1)) / (high - low)))
  const levelOf = (row: number) => (rows === 1 ? high : Math.round(high - (row * (high - low)) / (rows - 1)))
  const line = Array.from({ length: rows }, (_, row) => {
    const marks = drawRow({ tenors, slotWidth, now: rowsOf(now, rowOf), next: rowsOf(next, rowOf), row })
    return `${String(levelOf(row)).padStart(labelWidth)} ┤${marks}`.trimEnd()
  })
  const axis = `${' '.repeat(labelWidth)} └${tenors.map((tenor) => centre(tenor, slotWidth, '─')).join('')}`
  return [...line, axis, `${' '.repeat(labelWidth)}  bps by days:  ● now  ○ next  ◉ both`].join('\n')
}

/** Lists the tenors of several curves, ascending. */
export function sortedTenors(...curves: readonly Points[]): string[] {
  const tenors = curves.flatMap((points) => Object.keys(points))
  return [...new Set(tenors)].sort((a, b) => Number(a) - Number(b))
}

type Rows = ReadonlyMap<string, number>

function rowsOf(points: Points, rowOf: (bps: number) => number): Rows {
  return new Map(Object.entries(points).map(([tenor, bps]) => [tenor, rowOf(bps)]))
}

type RowInput = {
  readonly tenors: readonly string[]
  readonly slotWidth: number
  readonly now: Rows
  readonly next: Rows
  readonly row: number
}

/** Draws one row: a mark in the middle of each tenor's slot, and dots between the points of the current curve. */
function drawRow({ tenors, slotWidth, now, next, row }: RowInput): string {
  const middle = Math.floor(slotWidth / 2)
  const cells = new Array<string>(tenors.length * slotWidth).fill(' ')
  tenors.forEach((tenor, index) => {
    const here = now.get(tenor)
    const there = now.get(tenors[index + 1] ?? '')
    const at = index * slotWidth + middle
    for (let step = 1; here !== undefined && there !== undefined && step < slotWidth; step++) {
      if (Math.round(here + ((there - here) * step) / slotWidth) === row) cells[at + step] = '·'
    }
  })
  tenors.forEach((tenor, index) => {
    const isNow = now.get(tenor) === row
    const isNext = next.get(tenor) === row
    if (isNow || isNext) cells[index * slotWidth + middle] = isNow && isNext ? '◉' : isNow ? '●' : '○'
  })
  return cells.join('')
}

function centre(text: string, width: number, fill: string): string {
  const before = Math.max(Math.floor(width / 2) - Math.floor((text.length - 1) / 2), 0)
  return (fill.repeat(before) + text).padEnd(width, fill).slice(0, width)
}
