import { expect, test } from 'vitest'
import { createFakeBrowser, fakeHash, fakeSent } from './fake-sent.ts'
import { openSentStore } from './sent-store.ts'
import { fingerprintCall, isPending, listClaiming, selectKept } from './sent-transaction.ts'

const dayMs = 86_400_000
const hashOf = (number: number) => `0x${String(number).padStart(64, '0')}`

test('default: what one tab sends, every tab has, and a new one too', () => {
  const { openTab } = createFakeBrowser()
  const [one, two] = [openTab(), openTab()]
  const seen: number[] = []
  two.subscribe(() => seen.push(two.get().length))
  one.put(fakeSent())
  expect(two.get()).toEqual([fakeSent()])
  expect(openTab().get()).toEqual([fakeSent()])
  two.remove(fakeHash)
  expect(one.get()).toEqual([])
  expect(seen).toEqual([1, 0])
})

test('behavior: two tabs that write at once keep both transactions', () => {
  const { openTab } = createFakeBrowser()
  const [one, two] = [openTab(), openTab()]
  one.put(fakeSent({ hash: hashOf(1) }))
  two.put(fakeSent({ hash: hashOf(2) }))
  expect(one.get()).toHaveLength(2)
  expect(two.get()).toEqual(one.get())
})

test('behavior: an outcome does not bring back what another tab dismissed, and a new hash takes the place of the old', () => {
  const { openTab, values } = createFakeBrowser()
  const [one, two] = [openTab(), openTab()]
  one.put(fakeSent())
  const spedUp = fakeSent({ hash: hashOf(2) })
  one.update(fakeHash, spedUp)
  expect(two.get()).toEqual([spedUp])
  expect(values.size).toBe(1)
  two.remove(spedUp.id)
  one.update(spedUp.id, { ...spedUp, state: { kind: 'dropped' } })
  expect(one.get()).toEqual([])
  expect(values.size).toBe(0)
})

test('behavior: an unchanged outcome wakes nobody', () => {
  const { openTab } = createFakeBrowser()
  const tab = openTab()
  tab.put(fakeSent())
  const before = tab.get()
  tab.update(fakeHash, fakeSent())
  expect(tab.get()).toBe(before)
})

test('behavior: a cleared storage is empty in every tab', () => {
  const { openTab, clear } = createFakeBrowser()
  const tab = openTab()
  tab.put(fakeSent())
  clear()
  expect(tab.get()).toEqual([])
})

test('behavior: finished transactions leave after a day, pending ones stay, and unanswered requests leave too', () => {
  let nowMs = 2_000
  const { openTab, values } = createFakeBrowser(() => nowMs)
  const tab = openTab()
  tab.put(fakeSent({ hash: hashOf(1) }))
  tab.put(fakeSent({ hash: hashOf(2), state: { kind: 'confirmed', isFinal: true }, endedAtMs: 1_500 }))
  const { hash: _, ...asked } = fakeSent({ id: 'asked-1', state: { kind: 'asked' } })
  tab.put(asked)
  nowMs = 1_000 + dayMs - 1
  tab.prune()
  expect(tab.get()).toHaveLength(3)
  nowMs = 1_500 + dayMs
  tab.prune()
  expect(tab.get().map(({ id }) => id)).toEqual([hashOf(1)])
  expect(values.size).toBe(1)
})

test('behavior: an account has 20 per chain, the newest', () => {
  const { openTab, values } = createFakeBrowser()
  const tab = openTab()
  for (let number = 0; number < 25; number++) tab.put(fakeSent({ hash: hashOf(number), sentAtMs: number }))
  tab.put(fakeSent({ hash: hashOf(99), chainId: 8453, sentAtMs: 0 }))
  expect(tab.get()).toHaveLength(21)
  expect(tab.get().map(({ sentAtMs }) => sentAtMs)).not.toContain(4)
  expect(values.size).toBe(21)
  const crowd = Array.from({ length: 150 }, (_, number) => fakeSent({ hash: hashOf(number), chainId: number }))
  expect(selectKept(crowd, 2_000)).toHaveLength(100)
})

test('error: corrupt, hostile and foreign values are ignored, and left alone', () => {
  const { openTab, values } = createFakeBrowser()
  const texts: readonly unknown[] = [
    'not json',
    null,
    [],
    7,
    { ...fakeSent(), id: hashOf(3) },
    fakeSent({ account: '0x12' }),
    fakeSent({ hash: '<script>' }),
    fakeSent({ chainId: 1.5 }),
    fakeSent({ sentAtMs: 9e15 }),
    fakeSent({ act: { kind: 'lend', principal: '-1', tenorDays: 30 } }),
    fakeSent({ act: { kind: 'claim', tokenIds: [] } }),
    fakeSent({ act: { kind: 'claim', tokenIds: Array.from({ length: 101 }, String) } }),
    fakeSent({ state: { kind: 'asked' } }),
    { ...fakeSent(), state: { kind: 'won' } },
    { ...fakeSent(), nonce: -1 },
    { ...fakeSent(), call: '9'.repeat(20_000) },
  ]
  const write = (value: unknown) =>
    values.set(`tallystick-sent:${fakeHash}`, typeof value === 'string' ? value : JSON.stringify(value))
  for (const value of texts) {
    write(value)
    expect(openTab().get()).toEqual([])
  }
  expect(values.size).toBe(1)
  // The same under another key is not ours.
  values.clear()
  values.set(`tallystick-sent:${hashOf(3)}`, JSON.stringify(fakeSent()))
  values.set(fakeHash, JSON.stringify(fakeSent()))
  expect(openTab().get()).toEqual([])
  write({ ...fakeSent({ state: { kind: 'failed', isFinal: true, reason: 'x'.repeat(900) } }), more: 'ignored' })
  expect(openTab().get()[0]?.state).toEqual({ kind: 'failed', isFinal: true, reason: 'x'.repeat(300) })
})

test('error: without a storage, the page itself remembers', () => {
  const deny = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined }
  const store = openSentStore({ storage: deny, listKeys: () => [], target: new EventTarget(), now: () => 2_000 })
  store.put(fakeSent())
  expect(store.get()).toEqual([fakeSent()])
})

test('default: positions are being claimed while their claim may be mined, and once it is', () => {
  const act = { kind: 'claim', tokenIds: ['5'] } as const
  const list = (part: Parameters<typeof fakeSent>[0]) =>
    [...listClaiming([fakeSent({ act, ...part })], { chainId: 324, account: `0x${'AC'.repeat(20)}` })].join()
  expect(list({})).toBe('5')
  expect(list({ state: { kind: 'confirmed', isFinal: false } })).toBe('5')
  for (const kind of ['replaced', 'dropped'] as const) expect(list({ state: { kind } })).toBe('')
  expect(list({ chainId: 1 })).toBe('')
  expect(list({ act: { kind: 'lend', principal: '5', tenorDays: 1 } })).toBe('')
})

test('default: a fingerprint tells calls apart, and ignores how addresses are written', () => {
  const call = { to: '0xAB', data: '0x1234' }
  expect(fingerprintCall(call)).toBe(fingerprintCall({ to: '0xab', data: '0x1234' }))
  expect(fingerprintCall(call)).not.toBe(fingerprintCall({ ...call, data: '0x1235' }))
  expect(fingerprintCall(call)).not.toBe(fingerprintCall({ ...call, to: '0xac' }))
  expect(fingerprintCall({ to: undefined, data: undefined })).toMatch(/^[0-9a-z:]{1,80}$/)
  expect(isPending(fakeSent())).toBe(true)
})
