import { maturityOf, periodAt } from '@tallystick/core'
import { pick, type Random } from '@tallystick/workbench/random'
import {
  type ClaimStep,
  daySeconds,
  historyDays,
  type LendStep,
  lenderCount,
  type PlannedPosition,
  partnerFeesBps,
  type TransferStep,
} from './history.ts'
import { reportedAt } from './plan-incomes.ts'

type Span = {
  readonly startsAt: bigint
  readonly nowSeconds: bigint
  /** Time during which the pool is paused. */
  readonly pause: { readonly from: bigint; readonly to: bigint }
}

// Larger blocks take the node longer per transaction.
const lendsPerBlockMax = 100
const setUpSeconds = 7_200n
// The history has no transactions in the last 10 minutes.
const quietSeconds = 600n
// Short tenors are lent more often.
const tenors = [7, 7, 7, 7, 14, 14, 14, 30, 30, 30, 60, 60, 90, 90, 180, 360]
const hourSeconds = 3_600n

/** Plans positions: some are transferred, and most of the matured ones are claimed. */
export function planPositions(random: Random, options: Span & { readonly positionCount: number }) {
  const { startsAt, nowSeconds, pause } = options
  return planLends(random, options).flatMap((lend) => {
    const transfer = planTransfer(random, { lend, pause, nowSeconds })
    const claims = planClaims(random, { lend, transfer, pause, startsAt, nowSeconds })
    return [lend, ...(transfer ? [transfer] : []), ...claims]
  })
}

function planLends(random: Random, options: Span & { readonly positionCount: number }): LendStep[] {
  const { startsAt, nowSeconds, pause, positionCount } = options
  const perBlock = Math.min(lendsPerBlockMax, Math.max(1, Math.ceil(positionCount / historyDays)))
  const blockCount = Math.ceil(positionCount / perBlock)
  const from = startsAt + setUpSeconds
  const length = Number(nowSeconds - quietSeconds - from)
  return Array.from({ length: blockCount }, (_, block) => {
    const at = from + BigInt(Math.floor((length * (block + random())) / blockCount))
    const first = block * perBlock
    const count = Math.min(perBlock, positionCount - first)
    const positions = Array.from({ length: count }, (_, index) => planPosition(random, BigInt(first + index + 1)))
    return { kind: 'lend', at: alignToSlot(afterPause(pause, at), 0n), positions }
  })
}

function planPosition(random: Random, tokenId: bigint): PlannedPosition {
  const lender = Math.floor(random() * lenderCount)
  return {
    tokenId,
    lender,
    beneficiary: random() < 0.1 ? pickOther(random, lender) : lender,
    partner: random() < 0.6 ? Math.floor(random() * partnerFeesBps.length) : undefined,
    // 1,000 to 150,000 dollars, uniform on a logarithmic scale.
    principal: BigInt(Math.round(10 ** (3 + random() * 2.18) / 50) * 50) * 10n ** 18n,
    tenorDays: pick(random, tenors),
  }
}

type Opened = Span & { readonly lend: LendStep }

function planTransfer(random: Random, { lend, pause, nowSeconds }: Omit<Opened, 'startsAt'>): TransferStep | undefined {
  const transfers = lend.positions
    .filter(() => random() < 0.12)
    .map(({ tokenId, beneficiary }) => ({ tokenId, from: beneficiary, to: pickOther(random, beneficiary) }))
  const at = alignToSlot(afterPause(pause, lend.at + hourSeconds * BigInt(20 + Math.floor(random() * 70))), 1n)
  if (transfers.length === 0 || at > nowSeconds - quietSeconds) return undefined
  return { kind: 'transfer', at, transfers }
}

/** Plans one block of claims per tenor, because positions of one tenor mature together. */
function planClaims(
  random: Random,
  { lend, transfer, pause, startsAt, nowSeconds }: Opened & { readonly transfer: TransferStep | undefined },
): ClaimStep[] {
  const ownerOf = ({ tokenId, beneficiary }: PlannedPosition) =>
    transfer?.transfers.find((one) => one.tokenId === tokenId)?.to ?? beneficiary
  const { noteDay } = periodAt(lend.at)
  return [...new Set(tenors)].flatMap((tenorDays) => {
    const claims = lend.positions
      .filter((position) => position.tenorDays === tenorDays && random() < 0.7)
      .map((position) => ({ tokenId: position.tokenId, owner: ownerOf(position) }))
    const delaySeconds = hourSeconds * BigInt(6 + Math.floor(random() * 60))
    if (claims.length === 0) return []
    const maturity = maturityOf({ noteDay, tenorDays })
    const complete = reportedAt(maturity / daySeconds, startsAt / daySeconds)
    const at = alignToSlot(afterPause(pause, claimedAt(maturity + delaySeconds, complete)), 2n)
    if (at > nowSeconds - quietSeconds) return []
    return [{ kind: 'claim', at, claims }]
  })
}

/** Returns the same time of the first day on which a claim is complete. Earlier, it would lose income. */
function claimedAt(at: bigint, complete: bigint): bigint {
  return at > complete ? at : claimedAt(at + daySeconds, complete)
}

function pickOther(random: Random, wallet: number): number {
  return (wallet + 1 + Math.floor(random() * (lenderCount - 1))) % lenderCount
}

function afterPause(pause: Span['pause'], at: bigint): bigint {
  return at >= pause.from && at <= pause.to ? pause.to + 60n : at
}

/** Aligns a time to the slot of its kind, so that a lend is never moved into another period by another step. */
function alignToSlot(at: bigint, slot: bigint): bigint {
  return at - (at % 4n) + slot
}
