import type { Claimability } from '@tallystick/client'
import { floorCents, formatCents } from '@tallystick/ui'

/**
 * Describes in dollars what a claim now would lose. It is an estimate, rounded up to the cent, so that a loss is never shown
 * as none. Before the first report of a pool there is no rate to estimate with.
 *
 * @example
 * describeLoss({ missingIncome: 71n * 10n ** 15n, lastReportedDay: 20_500n }) // 'about $0.08'
 */
export function describeLoss({
  missingIncome,
  lastReportedDay,
}: Pick<Claimability, 'missingIncome' | 'lastReportedDay'>): string {
  if (lastReportedDay === 0n || missingIncome <= 0n) return 'an unknown part of the income'
  return `about $${formatCents(-floorCents(-missingIncome))}`
}
