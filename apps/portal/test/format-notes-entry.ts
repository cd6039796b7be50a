import type { WireNote } from '@tallystick/core'

/** Returns the entry of the public log for the notes of one chain and period. */
export function formatNotesEntry(notes: readonly WireNote[], issuedAt: string): string {
  const { chainid, note_started_at, signature_valid_after, signature_valid_before } = notes[0] as WireNote
  const start = String(BigInt(signature_valid_after) + 1n)
  return JSON.stringify({
    v: 1,
    type: 'notes',
    salt: '00112233445566778899aabbccddeeff',
    chainid,
    period: { start, end: signature_valid_before, noteDay: note_started_at },
    curve: 0,
    issuedAt,
    notes,
  })
}
