import { expect, test } from 'vitest'
import { findTarget, targets } from './targets.ts'

test('default: a path has the tests beside the sources of its package', () => {
  expect(findTarget('packages/core/src/income')).toEqual({
    name: 'packages/core/src/income',
    mutate: ['packages/core/src/income/**'],
    tests: ['packages/core/src/**'],
  })
  expect(findTarget('packages/service/src/routing/route.ts').mutate).toEqual(['packages/service/src/routing/route.ts'])
})

test('default: a target of the list has a name', () => {
  expect(findTarget('keys')).toBe(targets[2])
})

test.each(['', 'packages/core', 'docs/api.md', '../src/a.ts'])('error: "%s" is refused', (path) => {
  expect(() => findTarget(path)).toThrow('is not below the src directory of a package')
})
