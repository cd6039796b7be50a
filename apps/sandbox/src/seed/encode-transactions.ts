import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { type Note, periodAt } from '@tallystick/core'
import { periodNoteTerms, type Signer, signNote } from '@tallystick/issuer'
import { type Address, encodeFunctionData, encodePacked, type Hex, keccak256, maxUint256, zeroHash } from 'viem'
import { mintLimit, type Protocol } from '../protocol/deploy-protocol.ts'
import type { BatchTransaction } from '../protocol/mine-batches.ts'
import { couponOf } from './coupons.ts'
import {
  daySeconds,
  type History,
  type IncomeStep,
  type LendStep,
  type PlannedPosition,
  partnerFeesBps,
  type Step,
} from './history.ts'
import { sandboxWallets } from './wallets.ts'

/** Contracts of a history, and the service's signer. */
export type SeedContext = {
  readonly chainId: number
  readonly protocol: Protocol
  readonly signer: Signer
  readonly nowSeconds: bigint
}

const { admin, lenders, partnerOwners } = sandboxWallets()

// Balance of each lender after the history.
const spareBalance = 1_000_000n * 10n ** 18n

/** Encodes the partners, and the balances and allowances of the lenders. The history uses up the allowances. */
export function encodeSetUp({ protocol }: SeedContext, { steps }: History): BatchTransaction[] {
  const { pool, token } = protocol
  const partners = partnerOwners.map(({ address }, index) => {
    const args = [address, partnerFeesBps[index] as bigint] as const
    return { from: address, to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: 'createPartner', args }) }
  })
  const positions = steps.flatMap((step) => (step.kind === 'lend' ? step.positions : []))
  const balances = lenders.flatMap(({ address }, index) => {
    const total = positions.reduce((sum, { lender, principal }) => (lender === index ? sum + principal : sum), 0n)
    const mint = { abi: dollarTokenAbi, functionName: 'mint', args: [address, total + spareBalance] } as const
    const approve = { abi: dollarTokenAbi, functionName: 'approve', args: [pool, total] } as const
    return [
      { from: admin.address, to: token, data: encodeFunctionData(mint) },
      { from: address, to: token, data: encodeFunctionData(approve) },
    ]
  })
  const setMintLimit = (limit: bigint) => {
    const call = { abi: dollarTokenAbi, functionName: 'updateMaxMintLimit', args: [limit] } as const
    return { from: admin.address, to: token, data: encodeFunctionData(call) }
  }
  return [...partners, setMintLimit(maxUint256), ...balances, setMintLimit(mintLimit)]
}

/** Returns the transactions of a step in order. */
export async function encodeStep(context: SeedContext, step: Step): Promise<BatchTransaction[]> {
  const { pool, positions } = context.protocol
  switch (step.kind) {
    case 'lend':
      return encodeLends(context, step)
    case 'transfer':
      return step.transfers.map(({ tokenId, from, to }) => {
        const args = [lenderOf(from), lenderOf(to), tokenId] as const
        const data = encodeFunctionData({ abi: positionTokenAbi, functionName: 'transferFrom', args })
        return { from: args[0], to: positions, data }
      })
    case 'claim':
      return step.claims.flatMap(({ tokenId, owner }) => {
        const from = lenderOf(owner)
        const approve = { abi: positionTokenAbi, functionName: 'approve', args: [pool, tokenId] } as const
        const claim = { abi: poolAbi, functionName: 'claim', args: [from, tokenId] } as const
        return [
          { from, to: positions, data: encodeFunctionData(approve) },
          { from, to: pool, data: encodeFunctionData(claim) },
        ]
      })
    case 'income':
      return [{ from: admin.address, to: pool, data: encodeIncome(step) }]
    case 'pause':
    case 'unpause':
      return [{ from: admin.address, to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: step.kind }) }]
  }
}

/** Returns the id that the pool gives an owner's first partner. */
function partnerIdOf(owner: Address): Hex {
  return keccak256(encodePacked(['address', 'uint256'], [owner, 0n]))
}

async function encodeLends(context: SeedContext, { at, positions }: LendStep): Promise<BatchTransaction[]> {
  const notes = new Map<number, Note>()
  for (const tenorDays of new Set(positions.map((position) => position.tenorDays))) {
    notes.set(tenorDays, await signNoteAt(context, { at, tenorDays }))
  }
  return positions.map((position) => {
    const data = encodeLend(position, notes.get(position.tenorDays) as Note)
    return { from: lenderOf(position.lender), to: context.protocol.pool, data }
  })
}

/** Signs the note that the service would have published at that time. */
function signNoteAt(
  { chainId, protocol, signer, nowSeconds }: SeedContext,
  { at, tenorDays }: { readonly at: bigint; readonly tenorDays: number },
): Promise<Note> {
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: protocol.pool }
  const period = periodAt(at)
  // Rounded, because days of the time change have 23 or 25 hours.
  const daysAgo = Math.round(Number(periodAt(nowSeconds).noteDay - period.noteDay) / Number(daySeconds))
  const couponBps = couponOf({ tenorDays, daysAgo })
  return signNote(signer, { terms: periodNoteTerms({ chain: { id: chainId }, period, tenorDays, couponBps }), domain })
}

function encodeLend({ beneficiary, partner, principal }: PlannedPosition, note: Note): Hex {
  const partnerOwner = partner === undefined ? undefined : partnerOwners[partner]
  const params = {
    beneficiary: lenderOf(beneficiary),
    partnerId: partnerOwner ? partnerIdOf(partnerOwner.address) : zeroHash,
    partnerFeeBPS: partner === undefined ? 0n : (partnerFeesBps[partner] as bigint),
    principal,
  }
  return encodeFunctionData({ abi: poolAbi, functionName: 'lend', args: [params, note, note.signature] })
}

function encodeIncome({ firstDay, incomes }: IncomeStep): Hex {
  const [income, ...more] = incomes
  if (more.length === 0) {
    return encodeFunctionData({ abi: poolAbi, functionName: 'updateDailyFloatingIncome', args: [income as bigint] })
  }
  return encodeIncomes(firstDay, incomes)
}

/** Encodes the report of the incomes of consecutive days. */
export function encodeIncomes(firstDay: bigint, incomes: readonly bigint[]): Hex {
  const args = [firstDay, BigInt(incomes.length), incomes] as const
  return encodeFunctionData({ abi: poolAbi, functionName: 'updatePreviousFloatingIncome', args })
}

function lenderOf(index: number): Address {
  return lenders[index]?.address as Address
}
