import { ClientError, type RateAnswer } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { expect, test } from 'vitest'
import { findRejection, isPoolPaused, listClosedPools } from './pool-status.ts'

const chains = [{ id: 324 }, { id: 8453 }, { id: 10 }, { id: 11 }] as unknown as readonly PortalChain[]
const value = {
  chains: [
    { chainId: 324, status: 'open', statusReason: 'The pool is not paused.' },
    { chainId: 8453, status: 'paused', statusReason: 'The pool is paused.' },
    { chainId: 10, status: 'rejecting', statusReason: 'The pool’s signer is 0xab, not 0xcd.' },
    { chainId: 11, status: 'on_fire', statusReason: 'A status of a later version.' },
  ],
} as unknown as RateAnswer

test('default: states which pools accept no loans, and why', () => {
  const rate = { value, error: undefined }
  expect([324, 8453, 1].map((id) => isPoolPaused(rate, id))).toEqual([false, true, false])
  expect(listClosedPools(rate, chains)).toEqual([
    { chain: chains[1], state: 'paused', reason: 'The pool is paused.' },
    { chain: chains[2], state: 'rejecting', reason: 'The pool’s signer is 0xab, not 0xcd.' },
  ])
  expect([10, 324, 8453].map((id) => findRejection(rate, id))).toEqual([
    'The pool’s signer is 0xab, not 0xcd.',
    undefined,
    undefined,
  ])
})

test('behavior: says nothing while it loads, and keeps the last state when a request fails', () => {
  expect(listClosedPools({ value: undefined, error: undefined }, chains)).toEqual([])
  const error = new ClientError({ code: 'timeout', message: 'x' } as never)
  expect(isPoolPaused({ value, error }, 8453)).toBe(true)
  expect(listClosedPools({ value: undefined, error }, chains)).toEqual([])
})
