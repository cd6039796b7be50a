import { type NoteStatus, type NoteTerms, noteStatusAt } from '@tallystick/core/note/note'

/**
 * Whether the pool would take a note at an instant in Unix seconds. Both ends of the window are excluded, as on the
 * chain. The local clock may be wrong: `serverTime` of an answer is not.
 *
 * @example
 * const { notes, serverTime } = await client.notes()
 * noteStatus(notes[0]!, serverTime) // => 'usable'
 * noteStatus(notes[0]!, notes[0]!.validBefore) // => 'expired'
 */
export function noteStatus(note: Pick<NoteTerms, 'validAfter' | 'validBefore'>, now: bigint): NoteStatus {
  return noteStatusAt(note, now)
}
