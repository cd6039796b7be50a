import { expect, test } from 'vitest'
import { addRelease, findRelease } from './changelog.ts'

const changelog = `# Changelog

Intro.

## [Unreleased]

### Added

#### For operators

- An old entry.

### Fixed

- A fault.

## [0.1.0] - 2026-01-02

- First.
`

const change = `### Fixed

- Another fault,
  on two lines.

### Added

#### For integrators

- A route.

#### For operators

- A command.
`

test('default: a release has the unreleased entries and those of the changesets, by kind and reader', () => {
  const text = addRelease(changelog, { version: '0.2.0', date: '2026-03-04', changes: [change] })
  expect(text).toBe(`# Changelog

Intro.

## [0.2.0] - 2026-03-04

### Added

#### For operators

- An old entry.
- A command.

#### For integrators

- A route.

### Fixed

- A fault.
- Another fault,
  on two lines.

## [0.1.0] - 2026-01-02

- First.
`)
  expect(findRelease(text, '0.1.0')).toBe('- First.')
  expect(findRelease(text, '0.2')).toBeUndefined()
})

test('behavior: what a user has to do comes first', () => {
  const todo = '### When you upgrade\n\n- Stop the service.\n'
  const text = addRelease(changelog, { version: '0.2.0', date: '2026-03-04', changes: [change, todo] })
  expect(findRelease(text, '0.2.0')).toMatch(/^### When you upgrade\n\n- Stop the service\.\n\n### Added\n/)
})

test('error: refuses an unknown kind, a text without headings, a release without changes, and one that exists', () => {
  const add = (changes: readonly string[], text = changelog) =>
    addRelease(text, { version: '0.2.0', date: '2026-03-04', changes })
  expect(() => add(['### Improved\n\n- All.'])).toThrow('"Improved" is no kind of change')
  expect(() => add(['- All.'])).toThrow('"- All." is below no heading')
  expect(() => add([], '# Changelog\n')).toThrow('0.2.0 has no changes')
  expect(() => add([change], add([change]))).toThrow('CHANGELOG.md already has 0.2.0')
})
