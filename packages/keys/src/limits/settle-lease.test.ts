import { expect, test } from 'vitest'
import { shareOf } from './lease-share.ts'
import { type LeaseEntry, type LeaseRow, type Members, settleLease } from './settle-lease.ts'

const keyId = 'key_000000000001'
const ids = ['a', 'b', 'c']
const everyone: Members = { id: 'a', live: new Set(ids), beliefs: [ids], reserving: ids, known: new Set(ids) }
const idle: LeaseEntry = { granted: 0, spent: 0, short: false }

const rowOf = (entries: Readonly<Record<string, LeaseEntry>>, gone = 0): LeaseRow => ({ version: 7, gone, entries })

type Situation = Omit<Parameters<typeof settleLease>[1], 'keyId'>

/** Settles a lease of replica `a` with a limit of 100, a hold of 10 and nothing spent. */
function settle(row: LeaseRow | undefined, situation: Partial<Situation> = {}) {
  const usual: Situation = {
    members: everyone,
    limit: 100,
    spent: 0,
    granted: 0,
    held: situation.granted ?? 0,
    share: 0,
    isExpected: false,
    hold: 10,
    isIdle: false,
    isFrozen: false,
    isExact: false,
  }
  return settleLease(row, { ...usual, ...situation, keyId })
}

test('default: the first entry of a window takes the hold, and others have to look at it', () => {
  expect(settle(undefined)).toMatchObject({
    row: { version: 1, gone: 0, entries: { a: { granted: 10, spent: 0, short: false } } },
    isChanged: true,
    isNoticed: true,
  })
})

test('behavior: a replica without an entry keeps its share, the largest of any belief, in sorted order', () => {
  const share = (members: readonly string[], id: string) => shareOf({ keyId, limit: 101, members, id })
  const roomOf = (members: Members) => settle(rowOf({ a: idle }), { members, limit: 101 }).room
  expect(roomOf(everyone)).toBe(101 - share(ids, 'b') - share(ids, 'c'))
  // Some replica believes that there are two: each of these has more.
  const beliefs = [ids, ['a', 'b']]
  const largest = (id: string) => Math.max(...beliefs.map((one) => share(one.includes(id) ? one : [...one, id], id)))
  expect(roomOf({ ...everyone, beliefs })).toBe(101 - largest('b') - largest('c'))
  // A replica that nobody counts yet comes in its place of the order.
  for (const limit of [100, 101, 102]) {
    const members = { ...everyone, beliefs: [['b', 'c']], reserving: ['a1'] }
    const sorted = shareOf({ keyId, limit, members: ['a1', 'b', 'c'], id: 'a1' })
    expect(settle(rowOf({ a: idle }), { members, limit }).room).toBe(limit - sorted)
  }
})

test('behavior: the own share is not kept, and a replica with an entry has no other share', () => {
  const row = rowOf({ a: idle, b: { granted: 30, spent: 5, short: false }, c: { granted: 20, spent: 0, short: false } })
  expect(settle(row).room).toBe(50)
})

test('behavior: the grant of a replica that has stopped stays spent, and its entry goes', () => {
  const row = rowOf({ a: idle, x: { granted: 25, spent: 20, short: true }, b: idle, c: idle }, 5)
  const settled = settle(row)
  expect(settled.row).toEqual({ version: 8, gone: 30, entries: { a: settled.entry, b: idle, c: idle } })
  expect(settled.room).toBe(70)
})

test('behavior: an entry of a replica that is not live counts, and what it asks for does not', () => {
  const members = { ...everyone, live: new Set(['a', 'c']) }
  const b = { granted: 30, spent: 5, short: true }
  const settled = settle(rowOf({ a: { granted: 20, spent: 0, short: false }, b, c: idle }), {
    members,
    granted: 20,
    isIdle: true,
  })
  expect(settled.row.entries['b']).toEqual(b)
  expect(settled).toMatchObject({ room: 70, entry: { granted: 20 } })
})

test('behavior: an idle replica gives everything unspent to one that is short', () => {
  const row = rowOf({ a: { granted: 20, spent: 3, short: false }, b: { granted: 80, spent: 80, short: true }, c: idle })
  const give = { spent: 3, granted: 20 }
  expect(settle(row, { ...give, isIdle: true })).toMatchObject({
    entry: { granted: 3, spent: 3, short: false },
    isChanged: true,
  })
  // One in use does not.
  expect(settle(row, give).entry).toMatchObject({ granted: 20, spent: 3, short: false })
})

test.each([
  ['half of the hold', 5, 5],
  ['twice the hold', 20, 20],
  ['less than half of the hold', 4, 10],
  ['more than twice the hold', 21, 10],
])('behavior: with %s unspent, %i becomes %i', (_, granted, next) => {
  const own = { granted, spent: 0, short: false }
  expect(settle(rowOf({ a: own, b: idle, c: idle }), { granted })).toMatchObject({
    entry: { granted: next },
    isChanged: granted !== next,
  })
})

test('behavior: without an own entry the hold is taken, whatever was granted before', () => {
  expect(settle(rowOf({ b: idle, c: idle }), { granted: 20 }).entry.granted).toBe(10)
})

test('behavior: a share that was spent before the first entry is never taken back', () => {
  const row = rowOf({ b: { granted: 95, spent: 95, short: false }, c: idle })
  expect(settle(row, { spent: 8, granted: 33 })).toMatchObject({
    entry: { granted: 8, spent: 8, short: true },
    room: 5,
  })
})

test('behavior: if the others have more than the limit, there is no room', () => {
  expect(settle(rowOf({ a: idle, b: { granted: 130, spent: 1, short: false }, c: idle }))).toMatchObject({
    room: 0,
    entry: { granted: 0 },
  })
})

test('behavior: a frozen lease keeps what it has, and takes no more', () => {
  const row = rowOf({ b: idle, c: idle })
  expect(settle(row, { isFrozen: true, spent: 3, granted: 4 }).entry).toMatchObject({
    granted: 4,
    spent: 3,
    short: true,
  })
  expect(settle(row, { isFrozen: true, spent: 6, granted: 4 }).entry.granted).toBe(6)
})

test('behavior: a frozen lease holds what it should of its share, and no more', () => {
  const own = { isFrozen: true, granted: 30, share: 30 }
  const row = rowOf({ b: entry(33, 10), c: entry(33, 10) })
  expect(settle(row, { ...own, held: 3 }).entry).toEqual(entry(30, 10))
  expect(settle(row, { ...own, held: 3, spent: 28 }).entry).toEqual(entry(30, 30, 28, true))
  // A membership has changed: its share is smaller.
  expect(settle(row, { ...own, share: 8, held: 3 }).entry).toEqual(entry(30, 8))
})

test('behavior: a replica is short below half of its hold, and says so once', () => {
  const shortOf = (roomOfOthers: number, own: LeaseEntry, isIdle = false) => {
    const row = rowOf({ a: own, b: { granted: 100 - roomOfOthers, spent: 0, short: false }, c: idle })
    const { entry, isNoticed, isChanged } = settle(row, { hold: 9, isIdle, granted: own.granted })
    return [entry.short, isNoticed, isChanged]
  }
  const granted = (count: number, short: boolean) => ({ granted: count, spent: 0, short })
  expect(shortOf(5, granted(5, false))).toEqual([false, false, false])
  expect(shortOf(4, granted(4, false))).toEqual([true, true, true])
  expect(shortOf(4, granted(4, true))).toEqual([true, false, false])
  expect(shortOf(5, granted(5, true))).toEqual([false, false, true])
  // An idle one needs nothing.
  expect(shortOf(4, granted(4, false), true)).toEqual([false, false, false])
})

test('behavior: what was spent is written if the replica is short or operators read it', () => {
  const changed = (own: LeaseEntry, situation: Partial<Situation>) =>
    settle(rowOf({ a: own, b: { granted: 90, spent: 0, short: false }, c: idle }), situation).isChanged
  const own = { granted: 10, spent: 2, short: false }
  expect(changed(own, { spent: 3, granted: 10 })).toBe(false)
  expect(changed(own, { spent: 3, granted: 10, isExact: true })).toBe(true)
  expect(changed(own, { spent: 2, granted: 10, isExact: true })).toBe(false)
  expect(changed({ ...own, short: true }, { spent: 9, granted: 10 })).toBe(true)
})

test('behavior: an entry that has come too late is noticed if it is short', () => {
  const full = { granted: 100, spent: 100, short: false }
  expect(settle(rowOf({ b: full, c: idle }))).toMatchObject({
    entry: { short: true },
    isNoticed: true,
    isChanged: true,
  })
  expect(settle(rowOf({ b: idle, c: idle }))).toMatchObject({ entry: { short: false }, isNoticed: false })
})

test.each([
  ['room is left', { granted: 80, spent: 80, short: false }, {}, false],
  ['another has something unspent', { granted: 90, spent: 89, short: false }, {}, false],
  ['all others have spent theirs', { granted: 90, spent: 90, short: false }, {}, true],
  ['another has spent more than its grant', { granted: 90, spent: 95, short: false }, {}, true],
  ['the unspent rest is of one that is gone', { granted: 90, spent: 3, short: false }, { live: new Set(['a']) }, true],
])('behavior: exhausted if nothing can come: %s', (_, b, change, isExhausted) => {
  const row = rowOf({ a: { granted: 10, spent: 10, short: true }, b, c: idle })
  const members = { ...everyone, ...change }
  expect(settle(row, { members, spent: 10, granted: 10 }).isExhausted).toBe(isExhausted)
})

test('behavior: a share that is kept for a live replica can still come', () => {
  const row = rowOf({ a: { granted: 67, spent: 67, short: true }, b: idle })
  const exhausted = (live: readonly string[]) =>
    settle(row, { members: { ...everyone, live: new Set(live) }, spent: 67, granted: 67 }).isExhausted
  expect(exhausted(ids)).toBe(false)
  expect(exhausted(['a', 'b'])).toBe(true)
})

const entry = (granted: number, held: number, spent = 0, short = false): LeaseEntry => ({ granted, held, spent, short })

test('default: while nobody needs more than a share, a replica keeps its own beside what it holds', () => {
  const row = rowOf({ b: entry(33, 10), c: entry(33, 10) })
  expect(settle(row, { share: 33 }).entry).toEqual(entry(33, 10))
  // What the others keep is not free, and what they hold is not left to anyone.
  expect(settle(row, { share: 50, spent: 30 })).toMatchObject({ entry: { granted: 34, held: 34 }, room: 80 })
})

test.each([
  ['needs more', entry(33, 33, 33, true)],
  ['has more', entry(60, 60, 50)],
])('behavior: a replica keeps no share while another one %s than its own', (_, b) => {
  const own = { spent: 5, granted: 33, held: 15, share: 33 }
  const row = (other: LeaseEntry) => rowOf({ a: entry(33, 15, 5), b: other, c: idle })
  expect(settle(row(entry(33, 33, 20)), own).entry).toMatchObject({ granted: 33, held: 15 })
  expect(settle(row(b), own).entry).toMatchObject({ granted: 15, held: 15 })
})

test('behavior: of a replica that was killed only what it held counts, of a live one its share', () => {
  const row = rowOf({ a: idle, b: entry(80, 10), c: idle })
  const grantedWith = (live: readonly string[]) =>
    settle(row, { members: { ...everyone, live: new Set(live) }, share: 100 }).entry.granted
  expect(grantedWith(ids)).toBe(100 - shareOf({ keyId, limit: 100, members: ids, id: 'b' }))
  expect(grantedWith(['a', 'c'])).toBe(90)
  expect(settle(row, { members: { ...everyone, known: new Set(['a', 'c']) } }).row.gone).toBe(10)
})

test('behavior: an entry whose confirmation was lost is written again before it is used', () => {
  const row = rowOf({ a: entry(33, 10), b: idle, c: idle })
  expect(settle(row, { share: 33, granted: 33, held: 10 }).isChanged).toBe(false)
  expect(settle(row, { share: 33, granted: 20, held: 10 })).toMatchObject({ isChanged: true, entry: { granted: 33 } })
})
