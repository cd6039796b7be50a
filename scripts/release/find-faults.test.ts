import { expect, test } from 'vitest'
import { findFaults } from './find-faults.ts'

const good = {
  version: '0.3.0',
  manifests: { 'package.json': '0.3.0', 'apps/tallystick/package.json': '0.3.0' },
  notes: '- A change.',
  pending: [],
  changed: [],
  head: 'a'.repeat(40),
  tagged: undefined,
}

test('default: a clean tree of the version is released, before and after it is tagged', () => {
  expect(findFaults(good)).toEqual([])
  expect(findFaults({ ...good, tagged: good.head })).toEqual([])
})

test.each([
  [{ changed: ['README.md'] }, 'The tree is not clean: README.md.'],
  [{ pending: ['.changeset/a.md'] }, '.changeset/a.md is in no release.'],
  [{ manifests: { 'package.json': '0.2.0' } }, 'package.json has the version 0.2.0, not 0.3.0.'],
  [{ notes: undefined }, 'CHANGELOG.md has no section [0.3.0].'],
  [{ tagged: 'b'.repeat(40) }, 'The tag v0.3.0 is at bbbbbbbbbbbb, not at aaaaaaaaaaaa.'],
])('error: refuses %j', (change, message) => {
  expect(findFaults({ ...good, ...change })).toEqual([expect.stringContaining(message)])
})
