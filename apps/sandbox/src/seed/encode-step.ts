import { type Signer, signPeriodNote } from '@tallystick/api'
import { poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { type Note, type NoteDomain, periodAt } from '@tallystick/core'
import { type Address, encodeFunctionData, encodePacked, type Hex, keccak256, zeroHash } from 'viem'
import type { Protocol } from '../deploy-protocol.ts'
import type { Wallets } from '../devnet/wallets.ts'
import type { BatchTransaction } from '../mine-batch.ts'
import { couponOf } from './coupons.ts'
import {
  daySeconds,
  type IncomeStep,
  type LendStep,
  type PlannedPosition,
  partnerFeesBps,
  type Step,
} from './history.ts'

/** Where a history takes place. */
export type Scene = {
  readonly chainId: number
  readonly protocol: Protocol
  readonly wallets: Wallets
  /** The service's signer. */
  readonly signer: Signer
  readonly nowSeconds: bigint
}

/** The transactions of a step, in their order. */
export async function encodeStep(scene: Scene, step: Step): Promise<BatchTransaction[]> {
  const { admin } = scene.wallets
  const { pool } = scene.protocol
  switch (step.kind) {
    case 'lend':
      return encodeLends(scene, step)
    case 'transfer':
      return step.transfers.map(({ tokenId, from, to }) => {
        const args = [lenderOf(scene, from), lenderOf(scene, to), tokenId] as const
        const data = encodeFunctionData({ abi: positionTokenAbi, functionName: 'transferFrom', args })
        return { from: args[0], to: scene.protocol.positions, data }
      })
    case 'claim':
      return step.claims.flatMap(({ tokenId, owner }) => encodeClaim(scene, { tokenId, from: lenderOf(scene, owner) }))
    case 'income':
      return [{ from: admin.address, to: pool, data: encodeIncome(step) }]
    case 'pause':
    case 'unpause':
      return [{ from: admin.address, to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: step.kind }) }]
  }
}

/** What the pool makes of an owner's first partner. */
export function partnerIdOf(owner: Address): Hex {
  return keccak256(encodePacked(['address', 'uint256'], [owner, 0n]))
}

async function encodeLends(scene: Scene, { at, positions }: LendStep): Promise<BatchTransaction[]> {
  const notes = new Map<number, Note>()
  for (const tenorDays of new Set(positions.map((position) => position.tenorDays))) {
    notes.set(tenorDays, await signNoteAt(scene, { at, tenorDays }))
  }
  return positions.map((position) => {
    const from = lenderOf(scene, position.lender)
    return { from, to: scene.protocol.pool, data: encodeLend(scene, position, notes.get(position.tenorDays) as Note) }
  })
}

/** The note the service would have served at that moment. */
function signNoteAt(
  { chainId, protocol, signer, nowSeconds }: Scene,
  { at, tenorDays }: { readonly at: bigint; readonly tenorDays: number },
): Promise<Note> {
  const domain: NoteDomain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: protocol.pool }
  const period = periodAt(at)
  // Rounded, because two of the days between may have 23 and 25 hours.
  const daysAgo = Math.round(Number(periodAt(nowSeconds).noteDay - period.noteDay) / Number(daySeconds))
  const couponBps = couponOf({ tenorDays, daysAgo })
  return signPeriodNote(signer, { chain: { id: chainId, domain }, period, tenorDays, couponBps })
}

function encodeLend(scene: Scene, position: PlannedPosition, note: Note): Hex {
  const { partner, principal } = position
  const partnerOwner = partner === undefined ? undefined : scene.wallets.partnerOwners[partner]
  const params = {
    beneficiary: lenderOf(scene, position.beneficiary),
    partnerId: partnerOwner ? partnerIdOf(partnerOwner.address) : zeroHash,
    partnerFeeBPS: partner === undefined ? 0n : (partnerFeesBps[partner] as bigint),
    principal,
  }
  return encodeFunctionData({ abi: poolAbi, functionName: 'lend', args: [params, note, note.signature] })
}

function encodeClaim(
  { protocol: { pool, positions } }: Scene,
  { tokenId, from }: { readonly tokenId: bigint; readonly from: Address },
): BatchTransaction[] {
  const approve = encodeFunctionData({ abi: positionTokenAbi, functionName: 'approve', args: [pool, tokenId] })
  const claim = encodeFunctionData({ abi: poolAbi, functionName: 'claim', args: [from, tokenId] })
  return [
    { from, to: positions, data: approve },
    { from, to: pool, data: claim },
  ]
}

function encodeIncome({ firstDay, incomes }: IncomeStep): Hex {
  const [income, ...more] = incomes
  if (more.length === 0) {
    return encodeFunctionData({ abi: poolAbi, functionName: 'updateDailyFloatingIncome', args: [income as bigint] })
  }
  const args = [firstDay, BigInt(incomes.length), incomes] as const
  return encodeFunctionData({ abi: poolAbi, functionName: 'updatePreviousFloatingIncome', args })
}

function lenderOf({ wallets }: Scene, index: number): Address {
  return wallets.lenders[index]?.address as Address
}
