import { type Note, type NoteStatus, type NoteVerification, noteStatus, verifyNote } from '@tallystick/client'
import type { PortalChain } from '../data/portal-info.ts'

/** What can be said of a note. */
export type Judgement = {
  readonly note: Note
  /** Undefined where this service has no such chain: then there is no pool to hold it against. */
  readonly chain: PortalChain | undefined
  readonly verification: NoteVerification | undefined
  readonly status: NoteStatus
  /** Whether the pool would refuse it for its maturity alone. */
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
