import { expect, test } from 'vitest'
import { keepBeginning } from './keep-beginning.ts'

const head = { headers: {} }

test('default: keeps a short body and its headers', () => {
  const beginning = keepBeginning()
  beginning.add(Buffer.from('not '))
  beginning.add(Buffer.from('found\n'))
  const headers = { 'content-type': 'text/plain', vary: ['a', 'b'] }
  expect(beginning.read({ headers }, false)).toEqual({
    headers: [
      ['content-type', 'text/plain'],
      ['vary', 'a, b'],
    ],
    body: 'not found\n',
    isCut: false,
  })
})

test('behavior: keeps 1,024 bytes of a body, and no half character that a database would reject', () => {
  const beginning = keepBeginning()
  beginning.add(Buffer.from(`${'x'.repeat(1_022)}😀`))
  beginning.add(Buffer.alloc(100_000, 'y'))
  const { body, isCut } = beginning.read(head, false)
  expect([body, isCut]).toEqual([`${'x'.repeat(1_022)}\ufffd`, true])
  expect(Buffer.from(body).toString()).toBe(body)
})

test('behavior: replaces control characters, and marks a body that was cut off', () => {
  const beginning = keepBeginning()
  beginning.add(Buffer.from('a\0b\x1b[31mc\td\r\n'))
  expect(beginning.read(head, true)).toEqual({ headers: [], body: 'a\ufffdb\ufffd[31mc\td\ufffd\n', isCut: true })
})

test('behavior: keeps 16 short headers, and none that may be a secret of the receiver', () => {
  const names = Array.from({ length: 40 }, (_, index) => [`x-${index}`, 'v'.repeat(5_000)])
  const hidden = ['set-cookie', 'www-authenticate', 'x-api-key', 'x-auth', 'x-csrf-token', 'webhook-signature']
  const headers = Object.fromEntries([...hidden.map((name) => [name, 'secret']), ...names])
  const kept = keepBeginning().read({ headers }, false).headers
  expect(kept.map(([name]) => name)).toEqual(names.slice(0, 16).map(([name]) => name))
  expect(kept[0]?.[1]).toBe(`${'v'.repeat(120)}…`)
})
