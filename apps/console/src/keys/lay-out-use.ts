import { type KeyReport, type KeyScope, keyScopes } from '@tallystick/core'

/** Hour of a chart: the requests of each endpoint, and where their bars begin and end, as shares of the highest hour. */
export type HourBar = {
  readonly at: string
  readonly counts: Readonly<Record<KeyScope, number>>
  readonly total: number
  readonly parts: readonly { readonly scope: KeyScope; readonly from: number; readonly to: number }[]
}

/** Lays out the requests of a key by hour, stacked by endpoint. */
export function layOutUse({ hours, byScope }: Pick<KeyReport, 'hours' | 'byScope'>): {
  readonly bars: readonly HourBar[]
  readonly highest: number
} {
  const countOf = (scope: KeyScope, index: number) => byScope[scope][index] ?? 0
  const totals = hours.map((_, index) => keyScopes.reduce((sum, scope) => sum + countOf(scope, index), 0))
  const highest = Math.max(0, ...totals)
  const bars = hours.map((at, index) => {
    let from = 0
    const parts = keyScopes.flatMap((scope) => {
      const count = countOf(scope, index)
      if (count === 0) return []
      const part = { scope, from, to: from + count / highest }
      from = part.to
      return [part]
    })
    const counts = { notes: countOf('notes', index), data: countOf('data', index), rate: countOf('rate', index) }
    return { at, counts, total: totals[index] ?? 0, parts }
  })
  return { bars, highest }
}
