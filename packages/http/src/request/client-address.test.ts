import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { createIdentifyCaller, createRequestAddress } from './client-address.ts'

const trust = ['10.0.0.0/8', 'fd00::/8']
const addressOf = createRequestAddress(trust)
const read = (forwardedFor: string | readonly string[] | undefined, remoteAddress = '10.0.0.1') =>
  addressOf({ headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress } } as unknown as FastifyRequest)

describe('behavior: the client of a request from a trusted proxy', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:5678', '192.0.2.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    // Without brackets the last group cannot be told from a port.
    ['2001:db8::1:443', '2001:db8::1:443'],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
    ['[::ffff:192.0.2.7]:443', '::ffff:192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
  ])('%s is %s', (forwardedFor, address) => {
    expect(read(forwardedFor)).toBe(address)
    expect(read(`198.51.100.1, ${forwardedFor} `)).toBe(address)
  })

  test.each([
    ['192.0.2.7, 10.0.0.2:80, [fd00::1]:80, [fd00::2]', '192.0.2.7'],
    ['192.0.2.7,,10.0.0.2, ,', '192.0.2.7'],
    ['10.0.0.2:80', '10.0.0.1'],
    ['', '10.0.0.1'],
    [undefined, '10.0.0.1'],
  ])('proxies and empty entries are skipped in %j', (forwardedFor, address) => {
    expect(read(forwardedFor)).toBe(address)
  })

  test.each([
    'unknown',
    '_hidden',
    '192.0.2.7:',
    '192.0.2.7:x',
    '192.0.2.7:123456',
    '[192.0.2.7]:1',
    '[::1',
    '1.2.3',
    '[]:1',
  ])('%s is not an address: it names no caller, and nothing before it is believed', (text) => {
    expect(read(`192.0.2.9, ${text}, 10.0.0.2`)).toBe('unknown')
  })

  test('many headers are read as one list', () => {
    expect(read(['198.51.100.1', '192.0.2.7:1'])).toBe('192.0.2.7')
  })
})

test('behavior: every connection of a client is the same caller', () => {
  const identify = createIdentifyCaller(trust)
  const callers = ['192.0.2.7:1', '192.0.2.7:65535', '192.0.2.7', '[::ffff:192.0.2.7]:9'].map((forwardedFor) =>
    identify({ headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress: '10.0.0.1' } } as never),
  )
  expect(new Set(callers)).toEqual(new Set(['192.0.2.7']))
})

test('behavior: an untrusted sender is the client, whatever it sends', () => {
  expect(read('192.0.2.7:5678', '203.0.113.5')).toBe('203.0.113.5')
})
