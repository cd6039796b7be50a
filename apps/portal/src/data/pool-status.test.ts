import { ClientError, type RateAnswer } from '@tallystick/client'
import { expect, test } from 'vitest'
import { isPoolPaused, listPausedPools, poolStatusOf } from './pool-status.ts'
import type { PortalChain } from './portal-info.ts'

const chains = [{ id: 324 }, { id: 8453 }] as unknown as readonly PortalChain[]
const value = {
  chains: [
    { chainId: 324, status: 'open', statusReason: 'The pool is not paused.' },
    { chainId: 8453, status: 'paused', statusReason: 'The pool is paused.' },
  ],
} as unknown as RateAnswer

test('default: states a pool’s status and its reason', () => {
  const rate = { value, error: undefined }
  expect(poolStatusOf(rate, 324)).toEqual({ state: 'open', reason: 'The pool is not paused.' })
  expect([324, 8453, 1].map((id) => isPoolPaused(rate, id))).toEqual([false, true, false])
  expect(listPausedPools(rate, chains)).toEqual([{ chain: chains[1], reason: 'The pool is paused.' }])
})

test('behavior: says nothing while it loads, and keeps the last state when a request fails', () => {
  expect(poolStatusOf({ value: undefined, error: undefined }, 324)).toEqual({ state: 'loading' })
  const error = new ClientError({ code: 'timeout', message: 'x' } as never)
  expect(poolStatusOf({ value: undefined, error }, 324).state).toBe('unknown')
  expect(poolStatusOf({ value, error }, 8453).state).toBe('paused')
  expect(poolStatusOf({ value, error: undefined }, 1).state).toBe('unknown')
  expect(listPausedPools({ value: undefined, error }, chains)).toEqual([])
})
