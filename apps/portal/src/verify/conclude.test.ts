import { expect, test } from 'vitest'
import type { LogCheck } from './check-log.ts'
import { type CheckedNote, concludeAll } from './conclude.ts'

const logged: LogCheck = { status: 'logged', index: 3, size: 9, issuedAt: 0n }

function checkedNote(
  part: {
    readonly isGenuine?: boolean
    readonly status?: CheckedNote['judgement']['status']
    readonly isMature?: boolean
    readonly isForeign?: boolean
  } = {},
  logCheck: LogCheck | undefined = logged,
): CheckedNote {
  const { isGenuine = true, status = 'usable', isMature = false, isForeign = false } = part
  const judgement = {
    note: { chainId: 324 },
    chain: isForeign ? undefined : { id: 324 },
    verification: isForeign ? undefined : { valid: isGenuine, signer: '0x01' },
    status,
    isMature,
  } as unknown as CheckedNote['judgement']
  return { judgement, logCheck }
}

const conclude = (notes: readonly CheckedNote[]) => concludeAll(notes, [324, 8453])
const many = (count: number, make: (index: number) => CheckedNote) =>
  Array.from({ length: count }, (_, index) => make(index))

test('default: seven good notes have one verdict', () => {
  expect(conclude(many(7, () => checkedNote()))).toEqual({
    tone: 'good',
    title: '7 of 7 genuine',
    text: 'All: genuine and usable now. 7 of 7 are in the public log.',
  })
})

test('behavior: until the log has answered, and where it cannot, the verdict says so', () => {
  const pending = many(2, () => ({ ...checkedNote(), logCheck: undefined }))
  expect(conclude(pending).text).toBe('All: genuine and usable now. Looking them up in the public log…')
  expect(conclude(many(2, () => checkedNote({}, { status: 'no-log' }))).text).toContain(
    'This service has no public log.',
  )
  const half = many(2, (index) => (index === 0 ? checkedNote() : checkedNote({}, { status: 'unreachable', text: '' })))
  expect(conclude(half)).toEqual({
    tone: 'good',
    title: '2 of 2 genuine',
    text: 'All: genuine and usable now. 1 of 2 are in the public log. Of 1 it is not known, because the log cannot be reached.',
  })
})

test('error: a note that is not genuine, or not logged, is named and makes the verdict bad', () => {
  expect(conclude(many(7, (index) => checkedNote({ isGenuine: index !== 2 })))).toMatchObject({
    tone: 'bad',
    title: '6 of 7 genuine',
    text: 'Not genuine: note 3. Genuine and usable now: notes 1, 2, 4, 5, 6, 7. 6 of 6 are in the public log.',
  })
  const unlogged = many(3, (index) => (index < 2 ? checkedNote({}, { status: 'missing', text: '' }) : checkedNote()))
  expect(conclude(unlogged)).toMatchObject({ tone: 'bad', title: '3 of 3 genuine' })
  expect(conclude(unlogged).text).toMatch(
    /^Genuine, but not logged: notes 1, 2\. Genuine and usable now: note 3\. 1 of 3/,
  )
  expect(conclude(many(2, () => checkedNote({ isForeign: true })))).toMatchObject({
    tone: 'bad',
    title: '0 of 2 genuine',
    text: 'All: unknown chain.',
  })
})

test('behavior: expired and matured notes are genuine, but not usable, and a long list is cut', () => {
  const old = conclude(many(40, (index) => checkedNote(index < 20 ? { status: 'expired' } : { isMature: true })))
  expect(old).toMatchObject({ tone: 'calm', title: '40 of 40 genuine' })
  expect(old.text).toContain('Genuine, but expired: notes 1, 2, 3, 4, 5, 6, 7, 8 and 12 more.')
})
