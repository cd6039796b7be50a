import type { AdminRole } from '@tallystick/core'
import { expect, test } from 'vitest'
import { accessOf, viewNames } from './access.ts'

test.each<[AdminRole[], string[]]>([
  [['all'], ['read', 'change', 'change', 'change', 'change']],
  [['view'], ['read', 'read', 'read', 'read', 'read']],
  [['metrics'], ['read', 'none', 'none', 'none', 'none']],
  [
    ['keys', 'view'],
    ['read', 'read', 'change', 'read', 'read'],
  ],
  [
    ['curve', 'hooks'],
    ['read', 'change', 'none', 'change', 'none'],
  ],
])('default: the roles %j give access %j to the views', (roles, access) => {
  expect(viewNames.map((view) => accessOf(view, roles))).toEqual(access)
})
