import { describe, expect, test } from 'vitest'
import type { Note } from '../note/note.ts'
import { decodeNote, encodeNote, wireNoteSchema } from './notes-response.ts'

const note: Note = {
  chainId: 324,
  maturityTimestamp: 1739314800n,
  coupon: 2n ** 256n - 1n,
  startedAt: 1737522000n,
  validAfter: 1737521999n,
  validBefore: 1737586800n,
  signature: { r: `0x${'00'.repeat(32)}`, s: `0x${'01'.repeat(32)}`, v: 27 },
}

test('default: encoding and decoding returns the same note, also for uint256 max', () => {
  expect(decodeNote(JSON.parse(JSON.stringify(encodeNote(note))))).toEqual(note)
})

test('default: the wire form has exactly the fields of the specification', () => {
  expect(Object.keys(encodeNote(note))).toMatchInlineSnapshot(`
    [
      "maturity_timestamp",
      "coupon",
      "note_started_at",
      "signature_valid_after",
      "signature_valid_before",
      "signature",
      "chainid",
    ]
  `)
})

describe('error: rejects', () => {
  const wire = encodeNote(note)
  test.each([
    ['an unknown field', { ...wire, extra: 1 }],
    ['a number for a string', { ...wire, coupon: 401 }],
    ['a negative coupon', { ...wire, coupon: '-1' }],
    ['a hex timestamp', { ...wire, maturity_timestamp: '0x1' }],
    ['a fraction', { ...wire, coupon: '4.01' }],
    ['a short r', { ...wire, signature: { ...wire.signature, r: '0x01' } }],
    ['v 1', { ...wire, signature: { ...wire.signature, v: 1 } }],
    ['chain zero', { ...wire, chainid: '0' }],
    ['nothing', {}],
    ['null', null],
  ])('%s', (_, value) => {
    expect(wireNoteSchema.safeParse(value).success).toBe(false)
    expect(() => decodeNote(value)).toThrow()
  })
})
