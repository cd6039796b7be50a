import { createRateWindow, type RateWindow, rateWindowSeconds, type Time } from '@tallystick/base'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { IdentifyCaller } from './client-address.ts'
import { countRequest } from './count-request.ts'

export type LimitAddress = (request: FastifyRequest, reply: FastifyReply) => void

// About 100 bytes each. Beyond this number, the least recently used address is forgotten.
const addressesMax = 50_000

type AddressLimitOptions = {
  readonly rpm: number | null
  readonly identifyCaller: IdentifyCaller
  readonly time: Pick<Time, 'monotonic'>
}

/** Limits requests without a key by client address. `rpm` null is unlimited. */
export function createAddressLimit({ rpm, identifyCaller, time }: AddressLimitOptions): LimitAddress {
  if (rpm === null) return () => undefined
  // Created for the first request, because it reserves its memory at once.
  let windows: LRUCache<string, { readonly window: RateWindow; readonly openedAtMs: number }> | undefined
  return (request, reply) => {
    windows ??= new LRUCache({ max: addressesMax })
    const address = identifyCaller(request)
    const monotonicMs = time.monotonic()
    const known = windows.get(address)
    const fresh = known && monotonicMs - known.openedAtMs < rateWindowSeconds * 1000
    const entry = fresh ? known : { window: createRateWindow(rpm), openedAtMs: monotonicMs }
    if (!fresh) windows.set(address, entry)
    countRequest(entry.window, { reply, monotonicMs, whose: 'Your address' })
  }
}
