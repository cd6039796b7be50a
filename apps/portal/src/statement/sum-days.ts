import { type Amount, negate, splitCents, sumAmounts } from '@tallystick/ui'
import type { IncomeDay } from './list-income-days.ts'

type Incomes = Readonly<Record<'fixed' | 'floating' | 'fee' | 'net', Amount>>

/** Income of a UTC day on all chains, as it is shown. */
type ShownDay = Incomes & { readonly day: bigint; readonly positions: number }

/** Returns the days as they are shown, all chains together, and their total. Rows and columns add up. */
export function sumDays(days: readonly IncomeDay[]): { readonly rows: readonly ShownDay[]; readonly total: Incomes } {
  const byDay = new Map<bigint, IncomeDay[]>()
  for (const part of days) byDay.set(part.day, [...(byDay.get(part.day) ?? []), part])
  const rows = [...byDay].map(([day, parts]): ShownDay => {
    const sum = (amountOf: (part: IncomeDay) => bigint) => parts.reduce((all, part) => all + amountOf(part), 0n)
    const amounts = splitCents([
      sum(({ fixed }) => fixed),
      sum(({ floating, correction }) => floating + correction),
      -sum(({ fee }) => fee),
    ]) as [Amount, Amount, Amount]
    const [fixed, floating, deducted] = amounts
    const positions = parts.reduce((count, part) => count + part.positions, 0)
    return { day, positions, fixed, floating, fee: negate(deducted), net: sumAmounts(amounts) }
  })
  const total = (name: keyof Incomes) => sumAmounts(rows.map((row) => row[name]))
  return { rows, total: { fixed: total('fixed'), floating: total('floating'), fee: total('fee'), net: total('net') } }
}
