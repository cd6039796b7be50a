import { expect, test } from 'vitest'
import { createScramSecret } from './scram-secret.ts'

test('default: the secret has one iteration, a salt of its own and two keys of 32 bytes', () => {
  const [secret, other] = [createScramSecret('postgres'), createScramSecret('postgres')]
  expect(secret).toMatch(/^SCRAM-SHA-256\$1:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/)
  expect(secret).not.toBe(other)
})
