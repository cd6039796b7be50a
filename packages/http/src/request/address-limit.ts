import { createRateWindow, type RateWindow, rateWindowSeconds, type Time } from '@tallystick/base'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Caller, IdentifyCaller } from './client-address.ts'
import { countRequest } from './count-request.ts'

export type LimitAddress = (request: FastifyRequest, reply: FastifyReply) => void

/** Returns the limit that counts a request without a key. Undefined if there is none. */
export type FindAddressWindow = (request: Caller) => RateWindow | undefined

// About 100 bytes each. Beyond this number, the least recently used address is forgotten.
const addressesMax = 50_000

type AddressWindowsOptions = {
  readonly rpm: number | null
  readonly identifyCaller: IdentifyCaller
  readonly time: Pick<Time, 'monotonic'>
}

/** Creates the limits of requests without a key, one for each client address. `rpm` null is unlimited. */
export function createAddressWindows({ rpm, identifyCaller, time }: AddressWindowsOptions): FindAddressWindow {
  if (rpm === null) return () => undefined
  // Created for the first request, because it reserves its memory at once.
  let windows: LRUCache<string, { readonly window: RateWindow; readonly openedAtMs: number }> | undefined
  return (request) => {
    windows ??= new LRUCache({ max: addressesMax })
    const address = identifyCaller(request)
    const monotonicMs = time.monotonic()
    const known = windows.get(address)
    if (known && monotonicMs - known.openedAtMs < rateWindowSeconds * 1000) return known.window
    const window = createRateWindow(rpm)
    windows.set(address, { window, openedAtMs: monotonicMs })
    return window
  }
}

/** Creates the function that counts a request on the limit of its address. It throws if that is exceeded. */
export function createAddressLimit(findWindow: FindAddressWindow, time: Pick<Time, 'monotonic'>): LimitAddress {
  return (request, reply) => {
    const window = findWindow(request)
    if (window) countRequest(window, { reply, monotonicMs: time.monotonic(), whose: 'Your address' })
  }
}
