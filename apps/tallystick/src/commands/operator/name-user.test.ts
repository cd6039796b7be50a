import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { nameUser } from './name-user.ts'

test('default: returns the name of the user', () => {
  expect(nameUser()).toBe(userInfo().username)
})

test('behavior: returns the number of a user without a name', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT (no such file or directory)')
  }
  expect(nameUser(nameless)).toBe(`uid ${process.getuid?.()}`)
})
