import { expect, test } from 'vitest'
import { type FramedWindow, openSafe } from './safe-channel.ts'

const safe = 'https://safe.example'
const other = 'https://other.example'
const address = `0x${'ab'.repeat(20)}`
const info = { safeAddress: address, chainId: 324, threshold: 2, owners: [] }

type Posted = {
  readonly message: { id: string; method: string; params: unknown; env: unknown }
  readonly origin: string
}

/** Creates the window of a page in a frame, and what the window around it receives. */
function createFrame(ancestorOrigins?: readonly string[]) {
  const posted: Posted[] = []
  const listeners = new Set<(event: MessageEvent) => void>()
  const parent = {
    postMessage: (message: unknown, origin: string) => void posted.push({ message, origin } as Posted),
  }
  const target: FramedWindow = {
    parent,
    location: { ancestorOrigins },
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  }
  const receive = (data: unknown, { origin = safe, source = parent as unknown } = {}) => {
    for (const listener of [...listeners]) listener({ data, origin, source } as MessageEvent)
  }
  return { target, posted, receive, listeners }
}

/** Opens the channel. Every attempt waits for `next`. */
function open(frame: ReturnType<typeof createFrame>, origins: readonly string[] = [safe, other]) {
  let count = 0
  let next: () => void = () => undefined
  const wait = () => new Promise<void>((resolve) => (next = resolve))
  const opened = openSafe({ target: frame.target, origins, createId: () => `id-${count++}`, wait })
  return { opened, pass: () => next() }
}

const flush = () => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(resolve))))

test('default: asks the window around the page, and then talks to its origin only', async () => {
  const frame = createFrame([safe])
  const { opened } = open(frame)
  expect(frame.posted).toEqual([
    { message: { id: 'id-0', method: 'getSafeInfo', params: undefined, env: { sdkVersion: '9.1.0' } }, origin: safe },
  ])
  frame.receive({ id: 'id-0', success: true, data: info, version: '9.1.0' })
  const channel = await opened
  expect(channel?.info).toEqual({ address, chainId: 324 })
  const answer = channel?.request('rpcCall', { call: 'eth_blockNumber', params: [] })
  expect(frame.posted.at(-1)).toMatchObject({ message: { id: 'id-1', method: 'rpcCall' }, origin: safe })
  frame.receive({ id: 'id-1', success: true, data: '0x1' })
  expect(await answer).toBe('0x1')
  const failing = channel?.request('sendTransactions', { txs: [] })
  frame.receive({ id: 'id-2', success: false, error: 'Transaction was rejected' })
  await expect(failing).rejects.toThrow('Transaction was rejected')
})

test('behavior: a browser that does not tell what is around the page asks each configured origin, never all', async () => {
  const frame = createFrame()
  const { opened } = open(frame)
  expect(frame.posted.map(({ origin }) => origin)).toEqual([safe, other])
  frame.receive({ id: 'id-0', success: true, data: info }, { origin: other })
  const channel = await opened
  channel?.request('rpcCall')
  expect(frame.posted.slice(2).map(({ origin }) => origin)).toEqual([other])
  // The other configured origin is no longer believed.
  const pending = channel?.request('rpcCall')
  frame.receive({ id: 'id-2', success: true, data: 'wrong' }, { origin: safe })
  frame.receive({ id: 'id-2', success: true, data: 'right' }, { origin: other })
  expect(await pending).toBe('right')
})

test('error: nothing is sent or believed if the window around the page is of another origin', async () => {
  const frame = createFrame(['https://evil.example', safe])
  expect(await open(frame).opened).toBeUndefined()
  expect([frame.posted.length, frame.listeners.size]).toEqual([0, 0])
})

test('behavior: a Safe that starts to listen late is found, and one that never answers is given up', async () => {
  const late = createFrame([safe])
  const { opened, pass } = open(late)
  pass()
  await flush()
  expect(late.posted).toHaveLength(2)
  late.receive({ id: 'id-0', success: true, data: info })
  pass()
  expect((await opened)?.info.chainId).toBe(324)
  const silent = createFrame([safe])
  const never = open(silent)
  for (let attempt = 0; attempt < 15; attempt++) {
    never.pass()
    await flush()
  }
  expect(await never.opened).toBeUndefined()
  expect([silent.posted.length, silent.listeners.size]).toEqual([15, 0])
})

test.each([
  ['of another window', { id: 'id-1', success: true, data: 'bad' }, { source: {} }],
  ['of no window', { id: 'id-1', success: true, data: 'bad' }, { source: null }],
  ['of another origin', { id: 'id-1', success: true, data: 'bad' }, { origin: 'https://evil.example' }],
  ['of an origin that begins alike', { id: 'id-1', success: true, data: 'bad' }, { origin: `${safe}.evil.example` }],
  ['of a sandboxed frame', { id: 'id-1', success: true, data: 'bad' }, { origin: 'null' }],
  ['that is a text', 'id-1', {}],
  ['that is null', null, {}],
  ['without success', { id: 'id-1', data: 'bad' }, {}],
  ['with a number as id', { id: 1, success: true, data: 'bad' }, {}],
  ['with an id that nobody sent', { id: 'id-99', success: true, data: 'bad' }, {}],
  ['with an id that was answered', { id: 'id-0', success: true, data: 'bad' }, {}],
  ['that is huge', { id: 'x'.repeat(1_000_000), success: true, data: 'y'.repeat(5_000_000) }, {}],
])('error: a message %s changes nothing', async (_, message, from) => {
  const frame = createFrame([safe])
  const { opened } = open(frame)
  frame.receive({ id: 'id-0', success: true, data: info })
  const channel = await opened
  const answer = channel?.request('rpcCall')
  frame.receive(message, from)
  frame.receive({ id: 'id-1', success: true, data: 'good' })
  frame.receive({ id: 'id-1', success: true, data: 'again' })
  expect(await answer).toBe('good')
})

test.each([
  null,
  {},
  'safe',
  { safeAddress: '0x12', chainId: 1 },
  { safeAddress: address, chainId: 'one' },
  { safeAddress: address, chainId: -1 },
  { safeAddress: [address], chainId: 1 },
])('error: the answer %j is no Safe, and the next attempt may find one', async (data) => {
  const frame = createFrame([safe])
  const { opened, pass } = open(frame)
  frame.receive({ id: 'id-0', success: true, data })
  pass()
  await flush()
  frame.receive({ id: 'id-1', success: true, data: { safeAddress: address, chainId: '8453' } })
  expect((await opened)?.info).toEqual({ address, chainId: 8453 })
})

test('error: requests without an answer, and the text of an error, are bounded', async () => {
  const frame = createFrame([safe])
  const { opened } = open(frame)
  frame.receive({ id: 'id-0', success: true, data: info })
  const channel = await opened
  const first = channel?.request('rpcCall')
  for (let count = 0; count < 199; count++) channel?.request('rpcCall')
  await expect(channel?.request('rpcCall')).rejects.toThrow('Too many requests')
  frame.receive({ id: 'id-1', success: false, error: 'x'.repeat(100_000) })
  const error = await (first as Promise<unknown>).catch((reason: Error) => reason)
  expect((error as Error).message).toHaveLength(20_000)
})
