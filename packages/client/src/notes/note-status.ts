import { type NoteStatus, type NoteTerms, noteStatusAt } from '@tallystick/core'

/**
 * Returns whether the pool would accept a note at an instant in Unix seconds. Both ends of the window are excluded, as on the
 * chain. Use `serverTime` of a response: the local clock may be wrong.
 *
 * @example
 * const { notes, serverTime } = await client.notes()
 * noteStatus(notes[0]!, serverTime) // => 'usable'
 * noteStatus(notes[0]!, notes[0]!.validBefore) // => 'expired'
 */
export function noteStatus(note: Pick<NoteTerms, 'validAfter' | 'validBefore'>, now: bigint): NoteStatus {
  return noteStatusAt(note, now)
}
