import { compareReleases } from '@tallystick/database'
import { expect, test } from 'vitest'
import { release } from '../release.ts'
import { apiMigrations } from './migrations.ts'

// The last migration of 0.1.0. The ones after it can be taken back.
const lastOf010 = apiMigrations.findIndex(({ name }) => name === 'key usage')
const later = apiMigrations.slice(lastOf010 + 1)

test('default: migrations have different names, and those of 0.1.0 come first and stay as they are', () => {
  const names = apiMigrations.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(apiMigrations.slice(0, lastOf010 + 1).every(({ since }) => since === undefined)).toBe(true)
})

test('default: every later migration works with the release before its own and has statements that take it back', () => {
  const wrong = later.filter(({ since, worksWith, undo, loses }) => {
    if (!since || !worksWith || !undo?.length || !loses) return true
    return compareReleases(worksWith, since) >= 0 || compareReleases(since, release) > 0
  })
  expect(wrong).toEqual([])
  const releases = later.map(({ since = '' }) => since)
  expect(releases).toEqual(releases.toSorted(compareReleases))
})
