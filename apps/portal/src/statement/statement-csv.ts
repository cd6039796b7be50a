import { type CsvValue, formatCsv } from '@tallystick/base/pure'
import { formatPercent, formatUtc } from '@tallystick/core'
import { type Amount, isoDate, newYorkDate } from '@tallystick/ui'
import type { HoldingAmounts } from '../wallet/holding-amounts.ts'
import type { Holding, Wallet } from '../wallet/look-up-wallet.ts'
import type { IncomeDay } from './list-income-days.ts'

type Column<Row> = readonly [name: string, value: (row: Row) => CsvValue]

/** Formats positions as CSV. Dollars are as the page shows them, and exact in the columns that end with `_exact`. */
export function formatPositionsCsv(holdings: readonly Holding[]): string {
  return tabulate(holdings, [
    ...identity,
    ['status', ({ state }) => state],
    ['lent_at_utc', ({ lendTimestamp }) => formatUtc(String(lendTimestamp))],
    ['lent_day_new_york', ({ lendTimestamp }) => newYorkDate(Number(lendTimestamp))],
    ['matures_at_utc', ({ maturityTimestamp }) => formatUtc(String(maturityTimestamp))],
    ['maturity_day_new_york', ({ maturityTimestamp }) => newYorkDate(Number(maturityTimestamp))],
    ['coupon_bps', ({ coupon }) => String(coupon)],
    ['coupon_percent', ({ coupon }) => formatPercent(String(coupon))],
    ['coupon_in_words', ({ coupon }) => `${coupon} basis points (${formatPercent(String(coupon))} %) per 360-day year`],
    ['partner_fee_bps', ({ partnerFeeBPS }) => String(partnerFeeBPS)],
    ['partner_fee_percent', ({ partnerFeeBPS }) => formatPercent(String(partnerFeeBPS))],
    ...dollars('principal', (amounts) => amounts.principal),
    ...dollars('accrued_fixed', (amounts) => amounts.income?.fixed),
    ...dollars('accrued_floating', (amounts) => amounts.income?.floating),
    ...dollars('accrued_fee', (amounts) => amounts.income?.fee),
    ...dollars('accrued_net', (amounts) => amounts.income?.net),
    ...dollars('claimed_net', (amounts) => amounts.paidIncome),
    ['as_of_utc', ({ at }) => formatUtc(String(at))],
    ['lend_transaction', ({ lendTransactionHash }) => lendTransactionHash],
  ])
}

/** Formats what claims paid as CSV, oldest first. */
export function formatClaimsCsv(holdings: readonly Holding[]): string {
  return tabulate(listClaimed(holdings), [
    ...identity,
    ['claimed_at_utc', ({ claim }) => formatUtc(String(claim.timestamp))],
    ['claimed_day_new_york', ({ claim }) => newYorkDate(Number(claim.timestamp))],
    ...dollars('principal', (amounts) => amounts.principal),
    ...dollars('net_income', (amounts) => amounts.paidIncome),
    ...dollars('payout', (amounts) => amounts.payout),
    ['income_before_fee_usd_exact', ({ claim }) => exact(claim.totalIncome)],
    ['fee_usd_exact', ({ claim }) => exact(claim.fee)],
    ['beneficiary', ({ claim }) => claim.beneficiary],
    ['claim_transaction', ({ claim }) => claim.transactionHash],
  ])
}

/** Formats income by day as CSV. All dollars are exact, because cents of days do not add up to those of positions. */
export function formatDaysCsv(days: readonly IncomeDay[]): string {
  return tabulate(days, [
    ['day_utc', ({ day }) => dateOfDay(day)],
    ['chainid', ({ chain }) => String(chain.id)],
    ['chain', ({ chain }) => chain.name],
    ['positions', ({ positions }) => positions],
    ['fixed_income_usd_exact', ({ fixed }) => exact(fixed)],
    ['floating_income_usd_exact', ({ floating }) => exact(floating)],
    ['correction_at_claim_usd_exact', ({ correction }) => exact(correction)],
    ['fee_usd_exact', ({ fee }) => exact(fee)],
    ['net_income_usd_exact', (day) => exact(netOf(day))],
  ])
}

/** Returns the claimed positions of which it is known what they paid, oldest claim first. */
export function listClaimed(holdings: readonly Holding[]) {
  return holdings
    .flatMap((holding) => (holding.claim ? { ...holding, claim: holding.claim } : []))
    .toSorted((a, b) => Number(a.claim.timestamp - b.claim.timestamp))
}

/** Returns the income of a day after fees. */
export function netOf({ fixed, floating, correction, fee }: IncomeDay): bigint {
  return fixed + floating + correction - fee
}

/** Returns the date of a UTC day. */
export function dateOfDay(day: bigint): string {
  return isoDate(Number(day) * 86_400, 'UTC')
}

/**
 * Returns the name of a file: its content, the wallet, the chains and the UTC day of the data.
 *
 * @example
 * fileNameOf('positions', wallet) // 'tallystick-positions-0x529d…-324-2026-11-13.csv'
 */
export function fileNameOf(content: string, { address, at }: Wallet, chainIds: readonly number[]): string {
  return `tallystick-${content}-${address}-${chainIds.join('-')}-${isoDate(Number(at), 'UTC')}.csv`
}

const identity: readonly Column<Holding>[] = [
  ['chainid', ({ chain }) => String(chain.id)],
  ['chain', ({ chain }) => chain.name],
  ['token_id', ({ tokenId }) => String(tokenId)],
]

function dollars(name: string, amountOf: (amounts: HoldingAmounts) => Amount | undefined): readonly Column<Holding>[] {
  const cells = (format: (amount: Amount) => CsvValue) => (row: Holding) => {
    const amount = amountOf(row.amounts)
    return amount ? format(amount) : null
  }
  return [
    [`${name}_usd`, cells(({ cents }) => exact(cents, 2))],
    [`${name}_usd_exact`, cells(({ exact: amount }) => exact(amount))],
  ]
}

/** Returns an amount as a decimal of dollars with a point and all its digits, at least two behind the point. */
function exact(amount: bigint, decimals = 18): CsvValue {
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0')
  const rest = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0')
  return { decimal: `${amount < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${rest}` }
}

function tabulate<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return formatCsv(
    columns.map(([name]) => name),
    rows.map((row) => columns.map(([, value]) => value(row))),
  )
}
