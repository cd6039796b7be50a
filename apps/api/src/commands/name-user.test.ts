import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { nameUser } from './name-user.ts'

test('default: the name of whoever runs this', () => {
  expect(nameUser()).toBe(userInfo().username)
})

test('behavior: a user without a name is a number', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT (no such file or directory)')
  }
  expect(nameUser(nameless)).toBe(`uid ${process.getuid?.()}`)
})
