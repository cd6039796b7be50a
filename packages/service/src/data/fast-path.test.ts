import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { PreparedQuery } from '@tallystick/gateway'
import { expect, test } from 'vitest'
import { createKnownRequests } from './fast-path.ts'

const chains = [324]
const queryOf = (key: string) => ({ key }) as PreparedQuery

test('default: a body is known once the framework has accepted it', () => {
  const known = createKnownRequests()
  const [request, other] = [new IncomingMessage(new Socket()), new IncomingMessage(new Socket())]
  known.expect(request, 'body')
  expect(known.find('body')).toBeUndefined()
  known.accept(other, { chains, query: queryOf('other') })
  expect(known.count).toBe(0)
  known.accept(request, { chains, query: queryOf('key') })
  expect(known.find('body')).toEqual({ chains, key: 'key', ready: undefined })
  expect(known.find('Body')).toBeUndefined()
})

test('behavior: many distinct bodies and large answers stay within 4,000 entries and 16 MiB', () => {
  const known = createKnownRequests()
  const socket = new Socket()
  let [bytesMax, countMax] = [0, 0]
  const remember = (body: string, answerLength: number) => {
    const request = new IncomingMessage(socket)
    known.expect(request, body)
    known.accept(request, { chains, query: queryOf(body) })
    const found = known.find(body)
    const answer = { status: 200, headers: [], body: 'x'.repeat(answerLength), prebuilt: undefined } as const
    if (found) known.keep(body, found, { second: 0, answers: [], answer })
    bytesMax = Math.max(bytesMax, known.bytes)
    countMax = Math.max(countMax, known.count)
  }
  for (let index = 0; index < 5_000; index += 1) remember(`${index}`, 10)
  for (let index = 0; index < 1_000; index += 1) remember(`${index} ${'x'.repeat(8_000)}`, 10)
  for (let index = 0; index < 50; index += 1) remember(`large ${index}`, 256 * 1024)
  expect(bytesMax).toBeLessThanOrEqual(16 * 1024 * 1024)
  expect(countMax).toBe(4_000)
  expect(known.find('large 49')).toBeDefined()
  expect(known.find('0')).toBeUndefined()
})

test('behavior: the size of an entry grows by the answer that is kept with it', () => {
  const known = createKnownRequests()
  const request = new IncomingMessage(new Socket())
  known.expect(request, 'body')
  known.accept(request, { chains, query: queryOf('key') })
  const before = known.bytes
  const found = known.find('body')
  const answer = { status: 200, headers: [], body: 'x'.repeat(1_000), prebuilt: undefined } as const
  if (found) known.keep('body', found, { second: 0, answers: [], answer })
  expect([known.count, known.bytes - before]).toEqual([1, 5_000])
})
