import { readFileSync } from 'node:fs'
import { decodeNote, maturityOf, type Note, periodAt, type WireNote, wireNoteSchema } from '@tallystick/core'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../src/create-client.ts'
import { decodeNotes } from '../src/notes/decode-notes.ts'
import { noteStatus } from '../src/notes/note-status.ts'
import { verifyNote } from '../src/notes/verify-note.ts'
import { apiKey, coupons, type FakeApi, morning, noteSigner, pool, startFakeApi } from './fake-api.ts'

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
  api.chains.set(324, { positions: [], floatingIncomes: [], accounts: {} })
})
const client = () => createClient({ baseUrl: api.baseUrl, apiKey })

describe('notes', () => {
  test('default: returns every note decoded, with its original', async () => {
    const answer = await client().notes()
    expect(answer).toMatchObject({ message: 'Treasury notes.', availableMaturities: [7, 14, 30] })
    expect(answer.serverTime).toBe(BigInt(morning / 1000))
    expect(answer.notes.map(({ coupon }) => coupon)).toEqual([coupons[7], coupons[14], coupons[30]])
    for (const { raw, tenorDays, ...note } of answer.notes) expect(decodeNote(raw)).toEqual(note)
    expect(answer.notes.map(({ tenorDays }) => tenorDays)).toEqual([7, 14, 30])
  })

  test('default: sends chain and tenors in the format of the service', async () => {
    const { notes } = await client().notes({ chainId: 324, maturity: 14 })
    expect(notes).toHaveLength(1)
    await client().notes({ maturity: [7, 30] })
    await client().notes({ maturity: [] })
    expect(api.requests.map(({ path }) => path)).toEqual([
      '/notes?chainid=324&maturity=14',
      '/notes?maturity=7,30',
      '/notes',
    ])
  })

  test.each([
    [{ chainId: 0 }],
    [{ chainId: -324 }],
    [{ chainId: 3.24 }],
    [{ chainId: Number.NaN }],
    [{ maturity: [7, 0] }],
    [{ maturity: Number.POSITIVE_INFINITY }],
  ])('error: %j is rejected without a request', async (filter) => {
    await expect(client().notes(filter)).rejects.toMatchObject({ name: 'InvalidRequestError' })
    expect(api.requests).toEqual([])
  })

  test('error: the error for an unknown chain lists the supported ones', async () => {
    const error = { name: 'InvalidRequestError', code: 'invalid_chainid', details: { supported: [324] } }
    await expect(client().notes({ chainId: 1 })).rejects.toMatchObject(error)
  })
})

describe('verifyNote', () => {
  const vector = JSON.parse(readFileSync(new URL('../../core/vectors/note.json', import.meta.url), 'utf8'))
  const note: Note = {
    chainId: vector.domain.chainId,
    maturityTimestamp: BigInt(vector.message.maturityTimestamp),
    coupon: BigInt(vector.message.coupon),
    validAfter: BigInt(vector.message.validAfter),
    validBefore: BigInt(vector.message.validBefore),
    startedAt: 1737522000n,
    signature: vector.signature,
  }
  const trusted = { pool: vector.domain.verifyingContract, signer: vector.signer }

  test('default: verifies the published vector and the service’s notes', async () => {
    expect(await verifyNote(note, trusted)).toEqual({ valid: true, signer: vector.signer })
    for (const offered of (await client().notes()).notes) {
      expect(await verifyNote(offered, { pool, signer: noteSigner.address })).toMatchObject({ valid: true })
    }
  })

  test.each<[string, Partial<Note>, object]>([
    ['another coupon', { coupon: 402n }, {}],
    ['another chain', { chainId: 1 }, {}],
    ['another pool', {}, { pool: `0x${'01'.repeat(20)}` }],
    ['another signer', {}, { signer: `0x${'02'.repeat(20)}` }],
    ['another domain', {}, { domain: { name: 'NoteSignatureVerifier', version: '2' } }],
  ])('error: %s is not valid', async (_, change, options) => {
    const verification = await verifyNote({ ...note, ...change }, { ...trusted, ...options })
    expect(verification).toMatchObject({ valid: false, reason: expect.any(String) })
  })
})

test('noteStatus: both ends of the window are excluded', () => {
  const window = { validAfter: 99n, validBefore: 200n }
  const statuses = [99n, 100n, 199n, 200n].map((now) => noteStatus(window, now))
  expect(statuses).toEqual(['not-yet-valid', 'usable', 'usable', 'expired'])
})

describe('decodeNotes', () => {
  const wire: WireNote = {
    maturity_timestamp: '1739336400',
    coupon: '401',
    note_started_at: '1737522000',
    signature_valid_after: '1737521999',
    signature_valid_before: '1737586800',
    signature: { r: `0x${'0a'.repeat(32)}`, s: `0x${'0b'.repeat(32)}`, v: 27 },
    chainid: '324',
  }
  const decode = (note: unknown) => decodeNotes({ message: '', data: [note] }).notes[0]

  test('behavior: accepts exactly the bodies that the service’s schema accepts', () => {
    const odd = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        '00',
        '1',
        '-1',
        '+1',
        '1.5',
        '0x1',
        '1e3',
        ' 1',
        '9'.repeat(20),
        '9'.repeat(78),
        '9'.repeat(79),
      ),
      fc.constantFrom(null, undefined, 27, 28, 29, true, [], {}, `0x${'0A'.repeat(32)}`, `0x${'00'.repeat(31)}`, '٣٢٤'),
      fc.stringMatching(/^\d{1,80}$/),
      fc.stringMatching(/^0x[0-9a-f]{64}$/),
      fc.jsonValue(),
    )
    const member = fc.constantFrom(...Object.keys(wire), 'r', 's', 'v')
    fc.assert(
      fc.property(member, odd, (name, value) => {
        const changed = ['r', 's', 'v'].includes(name)
          ? { ...wire, signature: { ...wire.signature, [name]: value } }
          : { ...wire, [name]: value }
        const expected = wireNoteSchema.safeParse(changed)
        if (expected.success) {
          const tenorDays = expect.any(Number)
          expect(decode(changed)).toEqual({ ...decodeNote(changed), tenorDays, raw: changed })
        } else expect(() => decode(changed)).toThrow(/does not match this client version/)
      }),
      { numRuns: 3000 },
    )
  })

  test('behavior: the tenor is exact for every day and every time zone rule of New York', () => {
    // The two days of each year on which the clocks change, and any other day.
    const changes = fc.constantFrom('2026-03-08', '2026-11-01', '2027-03-14', '2027-11-07', '2028-02-29')
    const day = fc.oneof(
      changes.map((date) => BigInt(Date.parse(date) / 1000)),
      fc.bigInt({ min: 1_700_000_000n, max: 2_500_000_000n }),
    )
    fc.assert(
      fc.property(day, fc.integer({ min: -400, max: 0 }), fc.integer({ min: 1, max: 730 }), (at, shift, tenorDays) => {
        const { noteDay } = periodAt(at + BigInt(shift) * 86_400n + 43_200n)
        const maturity = maturityOf({ noteDay, tenorDays })
        const note = { ...wire, note_started_at: noteDay.toString(), maturity_timestamp: maturity.toString() }
        expect(decode(note)?.tenorDays).toBe(tenorDays)
      }),
    )
  })

  test.each([
    [-3600, 7],
    [0, 7],
    [3600, 7],
    // Notes of other services may mature at 18:00, as the published one does.
    [-21_600, 7],
    [64_800, 8],
    [-7 * 86_400, 0],
  ])('behavior: a maturity of 7 days and %d s is rounded to %s days', (seconds, days) => {
    const note = { ...wire, maturity_timestamp: (1737522000 + 7 * 86_400 + seconds).toString() }
    expect(decode(note)?.tenorDays).toBe(days)
  })

  test('behavior: unknown members are ignored', () => {
    expect(decode({ ...wire, extra: 1 })).toMatchObject({ coupon: 401n })
    expect(decodeNotes({ message: '', data: [], news: 1 })).toEqual({
      message: '',
      notes: [],
      availableMaturities: undefined,
    })
  })

  test.each([
    ['no object', null, 'body is null, not an object'],
    ['no array', { message: '', data: {} }, 'body.data is object, not an array'],
    ['no message', { data: [] }, 'body.message is undefined, not a string'],
    ['no days', { message: '', data: [], availableMaturities: [7, 0] }, 'availableMaturities[1] is number'],
    ['a malformed note', { message: '', data: [wire, []] }, 'body.data[1] is an array, not an object'],
  ])('error: %s: the message contains the path', (_, body, message) => {
    expect(() => decodeNotes(body)).toThrow(message)
  })

  test('error: rejects notes of a chain that was not requested', () => {
    expect(() => decodeNotes({ message: '', data: [wire] }, { chainId: 1 })).toThrow('data[0].chainid')
  })
})
