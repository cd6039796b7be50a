import { expect, test } from 'vitest'
import { createPoolStates, type PoolState } from './pool-states.ts'

const open: PoolState = { pauses: { tellsPause: true, paused: [] }, floating: undefined }

function createStates() {
  const state = { nowMs: 0, reads: 0, errors: 0, read: async (): Promise<PoolState> => open }
  const pool = {
    readPauses: async () => {
      state.reads += 1
      return (await state.read()).pauses
    },
    readFloatingIncome: async () => (await state.read()).floating,
  }
  const states = createPoolStates(new Map([[324, pool]]), {
    maxAgeMs: 2_000,
    time: { monotonic: () => state.nowMs },
    onError: () => {
      state.errors += 1
    },
  })
  return { state, states, read: () => states.find(324), readOther: () => states.find(10) }
}

test('default: requests at once and within the age share a read', async () => {
  const { state, read, readOther } = createStates()
  expect(await Promise.all([read(), read()])).toEqual([
    { ...open, isCurrent: true },
    { ...open, isCurrent: true },
  ])
  state.nowMs = 1_999
  await read()
  expect(state.reads).toBe(1)
  state.nowMs = 2_000
  await read()
  expect([state.reads, await readOther()]).toEqual([2, undefined])
})

test('error: after a failed read the state of the last minute is not current, and an older one is not given', async () => {
  const { state, read } = createStates()
  await read()
  state.read = async () => Promise.reject(new Error('away'))
  state.nowMs = 59_999
  expect(await read()).toEqual({ ...open, isCurrent: false })
  state.nowMs = 62_000
  expect(await read()).toBeUndefined()
  state.read = async () => open
  state.nowMs = 64_000
  expect(await read()).toEqual({ ...open, isCurrent: true })
  expect(state.errors).toBe(2)
})
