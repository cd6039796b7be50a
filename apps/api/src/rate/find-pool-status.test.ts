import { expect, test } from 'vitest'
import type { PoolProblem } from '../notes/watch/find-pool-problems.ts'
import { addObstacles, findPoolStatus } from './find-pool-status.ts'
import type { ReadPoolState } from './pool-states.ts'

const problemsOf = (...names: readonly PoolProblem[]) => new Map(names.map((name) => [name, '']))
const poolOf = (
  paused: ReadPoolState['pauses']['paused'],
  { isCurrent = true, tellsPause = true } = {},
): ReadPoolState => ({ pauses: { tellsPause, paused }, floating: undefined, isCurrent })
const old = { isCurrent: false }

test('default: the current read counts, whatever the last check of the watch found', () => {
  expect(findPoolStatus(poolOf([]), problemsOf('pool_paused', 'dollar_paused'))?.status).toBe('open')
  expect(findPoolStatus(poolOf([]), problemsOf('unknown'))?.status).toBe('open')
  expect(findPoolStatus(poolOf(['dollar', 'pool']), problemsOf())).toEqual({
    status: 'paused',
    reason: 'The pool is paused. The dollar is paused.',
  })
})

test('behavior: if the read failed, a pause in either view counts', () => {
  expect(findPoolStatus(poolOf([], old), problemsOf('position_token_paused'))?.status).toBe('paused')
  expect(findPoolStatus(poolOf(['pool'], old), problemsOf())?.status).toBe('paused')
  expect(findPoolStatus(poolOf([], old), problemsOf())?.status).toBe('open')
  expect(findPoolStatus(undefined, problemsOf('dollar_paused'))?.status).toBe('paused')
})

test.each([
  ['nothing was read', undefined, undefined],
  ['the watch failed for a minute', poolOf([], old), problemsOf('unknown')],
  ['the contract does not tell', poolOf([], { tellsPause: false }), problemsOf('unknown')],
  ['the contract does not tell, before the first check', poolOf([], { tellsPause: false }), undefined],
])('error: is not known if %s', (_, pool, problems) => {
  expect(findPoolStatus(pool, problems)).toBeUndefined()
})

test('behavior: obstacles replace the reason of an open pool and follow every other', () => {
  const problems = problemsOf('limits', 'signer', 'pool_paused')
  const [signer, limits] = [
    'The pool accepts notes of another signer only and rejects these.',
    'Notes beyond the pool’s',
  ]
  const open = { status: 'open', reason: 'The pool is not paused.' } as const
  expect(addObstacles(open, problems).reason).toMatch(new RegExp(`^${signer} ${limits}`))
  const paused = { status: 'paused', reason: 'The pool is paused.' } as const
  expect(addObstacles(paused, problems).reason).toMatch(new RegExp(`^The pool is paused. ${signer} ${limits}`))
  expect(addObstacles(open, undefined)).toEqual(open)
})
