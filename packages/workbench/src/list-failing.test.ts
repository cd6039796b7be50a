import { expect, test } from 'vitest'
import { listFailing } from './list-failing.ts'

test('default: each member that fails is named, with what was expected', async () => {
  const members = [
    ['a', 1n],
    ['b', 2n],
    ['c', 3n],
  ] as const
  const lines = await listFailing(members, async ([, value]) => expect(value).toBe(2n))
  expect(lines).toEqual([
    "[ 'a', 1n ]: expected 1n to be 2n // Object.is equality (expected 2n, got 1n)",
    "[ 'c', 3n ]: expected 3n to be 2n // Object.is equality (expected 2n, got 3n)",
  ])
})

test('behavior: other errors are failures too', async () => {
  const fail = (problem: unknown) => {
    throw problem
  }
  expect(await listFailing([new Error('broken'), 'text'], fail)).toEqual([
    expect.stringMatching(/^Error: broken[\s\S]*: broken$/),
    "'text': text",
  ])
})
