import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readPlainHeaders } from './head.ts'

const host = ['Host', 'localhost']
const read = (rawHeaders: readonly string[], method = 'GET', httpVersion = '1.1') =>
  readPlainHeaders({ method, httpVersion, rawHeaders } as IncomingMessage)

describe('readPlainHeaders', () => {
  test('default: reads names in any case, and ignores other headers of the same length', () => {
    const headers = read([...host, 'X-API-Key', 'a', 'User-Agent', 'b', 'accept', '*/*', 'Cookie', 'c'])
    expect(headers).toMatchObject({ host: 'localhost', 'x-api-key': 'a', accept: '*/*', connection: undefined })
  })

  test.each(['Host', 'X-Api-Key', 'accept', 'IF-NONE-MATCH', 'origin', 'x-forwarded-for', 'X-Forwarded-Proto'])(
    'error: a request with two %s headers is not plain',
    (name) => {
      const once = name === 'Host' ? host : [...host, name, 'a']
      expect(read(once)).toBeDefined()
      expect(read([...once, name.toLowerCase(), 'a'])).toBeUndefined()
    },
  )

  test.each([
    ['connection', 'close'],
    ['connection', 'upgrade'],
    ['content-length', '0'],
    ['transfer-encoding', 'chunked'],
    ['expect', '100-continue'],
    ['upgrade', 'websocket'],
  ])('error: a GET with %s: %s is not plain', (name, value) => {
    expect(read([...host, name, value])).toBeUndefined()
  })

  test('error: a request without a valid host, of HTTP/1.0 or with another method is not plain', () => {
    expect(read([])).toBeUndefined()
    expect(read(['Host', ''])).toBeUndefined()
    expect(read(['Host', 'a b'])).toBeUndefined()
    expect(read(host, 'GET', '1.0')).toBeUndefined()
    expect(read(host, 'HEAD')).toBeUndefined()
    expect(read([':authority', 'localhost'], 'POST', '2.0')).toBeUndefined()
    expect(read([':authority', 'localhost', 'host', 'other'], 'GET', '2.0')).toBeUndefined()
    expect(read([':authority', 'localhost'], 'GET', '2.0')).toMatchObject({ ':authority': 'localhost' })
    expect(read([...host, 'content-length', '3'], 'POST')).toMatchObject({ 'content-length': '3' })
  })
})
