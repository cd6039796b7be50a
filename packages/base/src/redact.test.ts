import { expect, test } from 'vitest'
import { redact } from './redact.ts'

test('default: replaces every occurrence of every secret', () => {
  expect(redact('key 0123 of 0123, token abcd', ['0123', 'abcd'])).toBe('key … of …, token …')
  expect(redact('key 0123', ['0123'], '[API key]')).toBe('key [API key]')
})

test('behavior: a secret within another leaves no rest of the longer one', () => {
  expect(redact('Bearer very-secret', ['very', 'Bearer very-secret'])).toBe('…')
})

test('behavior: short and empty secrets are ignored', () => {
  expect(redact('you and yes', ['you', ''])).toBe('you and yes')
})

test('behavior: a replacement is taken literally', () => {
  expect(redact('a secret b', ['secret'], '$&$`')).toBe('a $&$` b')
})
