import type { PoolProblem, PoolProblems } from '@tallystick/issuer'
import { describe, expect, test } from 'vitest'
import { addObstacles, findPoolStatus, type PoolStatus } from './find-pool-status.ts'
import type { ReadPoolState } from './pool-states.ts'

const problemsOf = (...names: readonly PoolProblem[]) =>
  new Map(names.map((name) => [name, { message: '', remedy: '', clause: `the pool has ${name}` }]))
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

describe('obstacles', () => {
  const open = { status: 'open', reason: 'The pool is not paused.' } as const
  const paused = { status: 'paused', reason: 'The pool is paused.' } as const
  const add = (status: PoolStatus, problems: PoolProblems | undefined, hasNotes = true) =>
    addObstacles(status, { problems, hasNotes })

  test('default: they replace the reason of an open pool and follow every other', () => {
    const problems = problemsOf('limits', 'signer', 'pool_paused')
    const sentences = 'The pool has signer. The pool has limits.'
    expect(add(open, problems)).toEqual({ status: 'rejecting', reason: sentences })
    expect(add(paused, problems)).toEqual({ status: 'paused', reason: `The pool is paused. ${sentences}` })
    const index = { status: 'open', reason: 'Its index says that the pool is not paused.' } as const
    expect(add(index, problems)).toEqual({ status: 'rejecting', reason: `${index.reason} ${sentences}` })
    expect(add(open, undefined)).toEqual(open)
  })

  test.each([
    ['signer', true, 'rejecting'],
    ['wiring', true, 'rejecting'],
    ['refused', true, 'rejecting'],
    ['limits', true, 'open'],
    ['limits', false, 'rejecting'],
    ['signer_change', true, 'open'],
    ['income', true, 'open'],
    ['unknown', true, 'open'],
  ] as const)(
    'behavior: with the problem %s and notes on offer %s, an open pool is %s',
    (problem, hasNotes, status) => {
      expect(add(open, problemsOf(problem), hasNotes).status).toBe(status)
      expect(add({ status: 'unknown', reason: '' }, problemsOf(problem), hasNotes).status).toBe('unknown')
    },
  )
})
