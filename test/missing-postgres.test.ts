import { expect, test } from 'vitest'
import { findMissingPostgres } from './set-up/missing-postgres.ts'

const nowhere = { root: '/no/such/root', findPackaged: async () => undefined }

test('default: with a PostgreSQL its tests run', async () => {
  expect(await findMissingPostgres({}, { ...nowhere, findPackaged: async () => '/bin' })).toBeUndefined()
})

test('behavior: a machine without one skips its tests, and says how to get one', async () => {
  expect(await findMissingPostgres({}, nowhere)).toMatch(/^No PostgreSQL was found.*`apt install postgresql`/)
})

test('behavior: none skips its tests on any machine', async () => {
  expect(await findMissingPostgres({ TALLYSTICK_POSTGRES: 'none', CI: 'true' })).toBe('TALLYSTICK_POSTGRES=none.')
})

test.each([{ CI: 'true' }, { TALLYSTICK_POSTGRES: 'packaged' }, { TALLYSTICK_POSTGRES: '/usr/bin' }])(
  'behavior: with %o nothing is skipped, so that the start fails',
  async (env) => {
    expect(await findMissingPostgres(env, nowhere)).toBeUndefined()
  },
)
