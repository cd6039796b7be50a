import type { PoolContracts } from '@tallystick/chain'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createContractsCache } from './contracts-cache.ts'

const token = {
  address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  ...{ name: 'Dollar', symbol: 'USD', decimals: 18, domain: undefined },
} as const
const whole: PoolContracts = { positionToken: token, dollar: token, denylister: undefined }
const nothing: PoolContracts = { positionToken: undefined, dollar: undefined, denylister: undefined }

function createCache() {
  const state = { nowMs: 0, reads: 0, errors: 0, read: async (): Promise<PoolContracts> => whole }
  const readContracts = () => {
    state.reads += 1
    return state.read()
  }
  const cache = createContractsCache(new Map([[324, { readContracts }]]), {
    time: { monotonic: () => state.nowMs },
    onError: () => {
      state.errors += 1
    },
  })
  return { state, cache, read: () => cache.find(324), readOther: () => cache.find(10) }
}

test('default: many requests cause one read per 30 s', async () => {
  const { state, read } = createCache()
  expect(await Promise.all(Array.from({ length: 100 }, read))).toEqual(Array.from({ length: 100 }, () => whole))
  state.nowMs = 29_999
  await read()
  expect(state.reads).toBe(1)
  state.nowMs = 30_000
  await read()
  expect(state.reads).toBe(2)
})

test('behavior: a failed read is retried after ten seconds, and known contracts are kept', async () => {
  const { state, read } = createCache()
  state.read = async () => Promise.reject(new Error('away'))
  expect(await read()).toBeUndefined()
  expect(await read()).toBeUndefined()
  expect([state.reads, state.errors]).toEqual([1, 1])
  state.read = async () => whole
  state.nowMs = 10_000
  expect(await read()).toBe(whole)
  for (const answer of [() => Promise.reject(new Error('away')), async () => nothing]) {
    state.read = answer
    state.nowMs += 30_000
    expect([await read(), await read()]).toEqual([whole, whole])
  }
})

test('behavior: a pool that is deployed later is found', async () => {
  const { state, read } = createCache()
  state.read = async () => nothing
  expect(await read()).toBe(nothing)
  state.read = async () => whole
  state.nowMs = 10_000
  await expect.poll(read).toBe(whole)
})

test('error: a read that hangs holds a request for half a second only, and is not repeated', async () => {
  const { state, read } = createCache()
  state.read = () => new Promise(() => undefined)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const results: unknown[] = []
  for (const reading of [read(), read()]) void reading.then((result) => results.push(result))
  await vi.advanceTimersByTimeAsync(499)
  expect(results).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(results).toEqual([undefined, undefined])
  expect(state.reads).toBe(1)
})

test('behavior: a chain without an RPC has none', async () => {
  const { state, readOther } = createCache()
  expect([await readOther(), state.reads]).toEqual([undefined, 0])
})
