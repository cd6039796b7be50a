import { expect, test } from 'vitest'
import { formatVisitorToken, isGenuine, parseVisitorToken, type VisitorToken } from './visitor-token.ts'

const origin = 'https://notes.example'
const secret = { id: '00112233445566ff', secret: new Uint8Array(32).fill(7) }
const expiresAt = 1_800_000_000
const token = formatVisitorToken(secret, { origin, expiresAt })
const parse = (text: string) => parseVisitorToken(text) as VisitorToken

test('default: a token has a fixed form that is not an API key’s, and is genuine for its secret and origin only', () => {
  expect(token).toMatch(/^v1\.00112233445566ff\.1800000000\.[\w-]{43}$/)
  expect(parse(token)).toMatchObject({ secretId: secret.id, expiresAt })
  expect(isGenuine(parse(token), { secret, origin })).toBe(true)
  expect(isGenuine(parse(token), { secret, origin: 'https://evil.example' })).toBe(false)
  expect(isGenuine(parse(token), { secret, origin: `${origin}:8443` })).toBe(false)
  const other = { ...secret, secret: new Uint8Array(32).fill(8) }
  expect(isGenuine(parse(token), { secret: other, origin })).toBe(false)
})

test('error: every change of one character makes it malformed, unknown or not genuine', () => {
  const accepted = [...token].flatMap((character, index) =>
    ['0', '1', 'A', 'z', '_', '.'].filter((replacement) => {
      if (replacement === character) return false
      const changed = parseVisitorToken(token.slice(0, index) + replacement + token.slice(index + 1))
      return changed?.secretId === secret.id && isGenuine(changed, { secret, origin })
    }),
  )
  expect(accepted).toEqual([])
})

test.each([
  ['empty', ''],
  ['an API key', 'tsk_live_0123456789012345678901234567890123ab'],
  ['truncated', token.slice(0, -1)],
  ['longer', `${token}A`],
  ['huge', `v1.${'0'.repeat(1_000_000)}`],
  ['of another version', token.replace('v1', 'v2')],
  ['without a signature', 'v1.00112233445566ff.1800000000.'],
  ['with an expiry in another form', token.replace('1800000000', '0x6b49d200')],
  ['with an expiry that is no number', token.replace('1800000000', 'Infinity')],
  ['with upper-case hex', token.replace('66ff', '66FF')],
  ['a JSON Web Token without an algorithm', 'eyJhbGciOiJub25lIn0.eyJvcmlnaW4iOiJodHRwczovL25vdGVzLmV4YW1wbGUifQ.'],
  ['two of them', `${token}, ${token}`],
  ['with a line end', `${token}\n`],
])('error: a text that is %s is not a token', (_, text) => {
  expect(parseVisitorToken(text)).toBeUndefined()
})
