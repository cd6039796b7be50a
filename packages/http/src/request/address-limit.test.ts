import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createAddressLimit, createAddressWindows } from './address-limit.ts'
import { createIdentifyCaller, type IdentifyCaller } from './client-address.ts'

/** Sends a request from an address that a proxy reports. Returns whether it was accepted. */
function createVisits({
  rpm,
  identifyCaller = readHeader,
}: {
  readonly rpm: number
  readonly identifyCaller?: IdentifyCaller
}) {
  const time = { monotonic: () => 0 }
  const limit = createAddressLimit(createAddressWindows({ rpm, identifyCaller, time }), time)
  const reply = { header: () => reply } as unknown as FastifyReply
  return (address: string): boolean => {
    const request = { headers: { 'x-forwarded-for': address }, socket: { remoteAddress: '127.0.0.1' } }
    try {
      limit(request as unknown as FastifyRequest, reply)
      return true
    } catch {
      return false
    }
  }
}

// For a crowd: reading an address as the service does takes most of the time of these tests.
const readHeader: IdentifyCaller = ({ headers }) => String(headers['x-forwarded-for'])

function addressAt(index: number): string {
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
}

test('behavior: other addresses do not reset an exceeded limit', () => {
  const visit = createVisits({ rpm: 2 })
  const mine = '192.0.2.1'
  expect([visit(mine), visit(mine), visit(mine)]).toEqual([true, true, false])
  for (let index = 0; index < 1_000; index++) visit(addressAt(index))
  expect(visit(mine)).toBe(false)
  // An address in use is not evicted by many others.
  for (let index = 0; index < 60_000; index++) {
    visit(addressAt(index))
    if (index % 10_000 === 0) expect(visit(mine)).toBe(false)
  }
})

test('behavior: beyond the maximum number of addresses, the least recently used ones are reset', () => {
  const visit = createVisits({ rpm: 1 })
  const crowd = Array.from({ length: 50_001 }, (_, index) => addressAt(index))
  expect(crowd.filter((address) => !visit(address))).toEqual([])
  expect([visit(addressAt(50_000)), visit(addressAt(1)), visit(addressAt(0))]).toEqual([false, false, true])
})

test('behavior: an IPv6 /64 network counts as one address', () => {
  const visit = createVisits({ rpm: 1, identifyCaller: createIdentifyCaller(['127.0.0.1']) })
  expect([visit('2001:db8::1'), visit('2001:db8::2'), visit('2001:db8:0:1::1')]).toEqual([true, false, true])
})
