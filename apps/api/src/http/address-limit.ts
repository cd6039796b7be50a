import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createRateWindow, type RateWindow, rateWindowSeconds } from '../keys/rate-window.ts'
import type { NameCaller } from './client-address.ts'
import { countRequest } from './count-request.ts'

export type LimitAddress = (request: FastifyRequest, reply: FastifyReply) => void

// Each takes about 100 bytes. When so many addresses came within a minute, those that were quiet for longest are forgotten.
const addressesMax = 50_000

/** Limits what needs no key, by the address it comes from. `rpm` null lets everything through. */
export function createAddressLimit({
  rpm,
  nameCaller,
  monotonicNow,
}: {
  readonly rpm: number | null
  readonly nameCaller: NameCaller
  readonly monotonicNow: () => number
}): LimitAddress {
  if (rpm === null) return () => undefined
  const windows = new LRUCache<string, { readonly window: RateWindow; readonly openedAtMs: number }>({
    max: addressesMax,
  })
  return (request, reply) => {
    const address = nameCaller(request)
    const monotonicMs = monotonicNow()
    const known = windows.get(address)
    const fresh = known && monotonicMs - known.openedAtMs < rateWindowSeconds * 1000
    const entry = fresh ? known : { window: createRateWindow(rpm), openedAtMs: monotonicMs }
    if (!fresh) windows.set(address, entry)
    countRequest(entry.window, { reply, monotonicMs, whose: 'Your address' })
  }
}
