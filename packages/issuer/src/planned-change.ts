import { type Address, isAddressEqual } from 'viem'
import type { NoteSet } from './note-set.ts'

/** Time before and after a boundary in which a planned change of the signer may be half done. */
const plannedChangeSeconds = 300n

type SignerChange = {
  readonly set: Pick<NoteSet, 'period' | 'signer'>
  /** Signer whose notes the pool accepts. */
  readonly registered: Address
  /** Announced signer (`signer.next`). */
  readonly next: Address | undefined
  readonly nowSeconds: bigint
}

/**
 * Returns whether a pool rejects a set only because a planned change of the signer is half done: the pool has the announced
 * signer already, a few minutes before the last notes of the old one expire, or not yet, a few minutes after the first notes
 * of the announced one are valid.
 */
export function isPlannedChange({ set, registered, next, nowSeconds }: SignerChange): boolean {
  if (!next || isAddressEqual(set.signer, registered)) return false
  const { start, end } = set.period
  if (isAddressEqual(set.signer, next)) return nowSeconds < start + plannedChangeSeconds
  return isAddressEqual(registered, next) && nowSeconds >= end - plannedChangeSeconds
}
