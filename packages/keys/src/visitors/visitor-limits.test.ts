import { createRateWindow } from '@tallystick/base'
import { expect, test } from 'vitest'
import { createVisitorLimits } from './visitor-limits.ts'

function create() {
  const at = { ms: 0 }
  const created: string[] = []
  const forgotten: string[] = []
  const limitOf = createVisitorLimits({
    requestsPerMinute: 2,
    createLimit: (id, { rpm }) => {
      created.push(id)
      return createRateWindow(rpm as number)
    },
    forgetLimit: (id) => forgotten.push(id),
    time: { monotonic: () => at.ms },
  })
  const take = (name: string) => limitOf(name).take(at.ms).allowed
  return { at, created, forgotten, take }
}

test('default: each address has a limit of its own, which is forgotten two minutes after its last use', () => {
  const { at, created, forgotten, take } = create()
  expect([take('a'), take('a'), take('a'), take('b')]).toEqual([true, true, false, true])
  at.ms = 100_000
  expect(take('a')).toBe(true)
  at.ms = 120_000
  take('c')
  expect([created, forgotten]).toEqual([['visitor a', 'visitor b', 'visitor c'], ['visitor b']])
  at.ms = 220_000
  take('a')
  expect([created.length, forgotten]).toEqual([4, ['visitor b', 'visitor a']])
})

test('behavior: more than 10,000 addresses in two minutes share one more limit, and those before keep theirs', () => {
  const { at, created, take } = create()
  for (let index = 0; index < 10_000; index++) take(`n${index}`)
  const others = Array.from({ length: 30 }, (_, index) => take(`m${index}`))
  expect(others.filter((allowed) => allowed).length).toBe(20)
  expect(created.length).toBe(10_000)
  expect([take('n0'), take('n0')]).toEqual([true, false])
  at.ms = 120_000
  expect(take('m0')).toBe(true)
  expect(created.length).toBe(10_001)
})
