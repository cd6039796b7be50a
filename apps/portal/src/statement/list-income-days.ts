import { fixedIncome, floatingIncome } from '@tallystick/client'
import { type FloatingAccumulator, type PortalChain, partnerFee } from '@tallystick/core'
import type { Holding, Wallet } from '../wallet/look-up-wallet.ts'

/** Income of all positions of a chain on one UTC day, in the token's smallest unit. */
export type IncomeDay = {
  readonly chain: PortalChain
  /** Days since 1970. */
  readonly day: bigint
  /** Positions that earned on this day, or were claimed. */
  readonly positions: number
  readonly fixed: bigint
  readonly floating: bigint
  /** What the claims of this day paid more than the days before them had, or less: incomes that were restated or lost. */
  readonly correction: bigint
  readonly fee: bigint
}

type IncomeDays = {
  /** Ascending by day, then by chain. Their sums are exactly those of the positions: what accrued and what was paid. */
  readonly days: readonly IncomeDay[]
  /** Number of positions whose income cannot be told by day. */
  readonly leftOutCount: number
}

const secondsPerDay = 86_400n
// Ten years. Nothing on offer lasts longer than one.
const daysMax = 3_660n

/** Returns the income by UTC day, the day by which the protocol counts floating income. */
export function listIncomeDays({ holdings, accumulators, at }: IncomeSource): IncomeDays {
  const days = new Map<string, IncomeDay>()
  let leftOutCount = 0
  for (const holding of holdings) {
    const accumulator = accumulators.get(holding.chain.id)
    const isUnknown = holding.state === 'claimed' && !holding.claim
    const isTooLong = holding.maturityTimestamp - holding.lendTimestamp > daysMax * secondsPerDay
    if (!accumulator || isUnknown || isTooLong) {
      leftOutCount++
      continue
    }
    for (const part of listParts(holding, { accumulator, at })) {
      const key = `${part.day} ${holding.chain.id}`
      const known = days.get(key) ?? { ...nothing, chain: holding.chain, day: part.day }
      days.set(key, {
        ...known,
        positions: known.positions + 1,
        fixed: known.fixed + part.fixed,
        floating: known.floating + part.floating,
        correction: known.correction + part.correction,
        fee: known.fee + part.fee,
      })
    }
  }
  const compare = (a: IncomeDay, b: IncomeDay) => Number(a.day - b.day) || a.chain.id - b.chain.id
  return { days: [...days.values()].sort(compare), leftOutCount }
}

type IncomeSource = Pick<Wallet, 'holdings' | 'accumulators' | 'at'>
type Part = Omit<IncomeDay, 'chain' | 'positions'>

const nothing = { positions: 0, fixed: 0n, floating: 0n, correction: 0n, fee: 0n }

/** Returns what a position earned on each day. Each part is the difference of two sums, so that all parts add up. */
function listParts(
  holding: Holding,
  { accumulator, at }: { readonly accumulator: FloatingAccumulator; readonly at: bigint },
): readonly Part[] {
  const { lendTimestamp, maturityTimestamp, claim } = holding
  const end = claim || at > maturityTimestamp ? maturityTimestamp : at
  const parts: Part[] = []
  let before = { fixed: 0n, floating: 0n, fee: 0n }
  for (let day = lendTimestamp / secondsPerDay; day * secondsPerDay < end; day++) {
    const midnight = (day + 1n) * secondsPerDay
    const sums = sumUntil(holding, { accumulator, instantSeconds: midnight < end ? midnight : end })
    const { fixed, floating, fee } = sums
    parts.push({
      ...{ day, fixed: fixed - before.fixed, floating: floating - before.floating, correction: 0n },
      fee: fee - before.fee,
    })
    before = sums
  }
  if (!claim) return parts
  const day = claim.timestamp / secondsPerDay
  const correction = claim.totalIncome - before.fixed - before.floating
  const fee = claim.fee - before.fee
  if (correction === 0n && fee === 0n) return parts
  return [...parts, { day, fixed: 0n, floating: 0n, correction, fee }]
}

function sumUntil(
  holding: Holding,
  { accumulator, instantSeconds }: { readonly accumulator: FloatingAccumulator; readonly instantSeconds: bigint },
) {
  const fixed = fixedIncome(holding, instantSeconds)
  const floating = floatingIncome(holding, { ...accumulator, instantSeconds })
  return { fixed, floating, fee: partnerFee({ totalIncome: fixed + floating, partnerFeeBps: holding.partnerFeeBPS }) }
}
