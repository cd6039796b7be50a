import { type Note, type NoteStatus, type NoteVerification, noteStatus, verifyNote } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'

/** Result of verifying a note. */
export type Judgement = {
  readonly note: Note
  /** Undefined if this service does not have the note's chain. */
  readonly chain: PortalChain | undefined
  readonly verification: NoteVerification | undefined
  readonly status: NoteStatus
  /** Whether the note's maturity has passed, so that the pool rejects it. */
  readonly isMature: boolean
}

export async function judgeNote(
  note: Note,
  { chains, now }: { readonly chains: readonly PortalChain[]; readonly now: bigint },
): Promise<Judgement> {
  const chain = chains.find(({ id }) => id === note.chainId)
  return {
    note,
    chain,
    verification: chain && (await verifyNote(note, chain)),
    status: noteStatus(note, now),
    isMature: now >= note.maturityTimestamp,
  }
}
