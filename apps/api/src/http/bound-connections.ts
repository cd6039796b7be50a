import type { Server, Socket } from 'node:net'
import { groupOfAddress } from './address-group.ts'
import { createTrust } from './trust.ts'

export type ConnectionBounds = {
  readonly max: number
  /** Null is without one. An IPv6 address counts with its /64. */
  readonly perAddressMax: number | null
  /** Addresses and networks without a bound of their own: the proxies, through which everyone comes. */
  readonly exempt: readonly string[]
}

/**
 * Destroys connections over a bound at once, before TLS and HTTP see them. To be called when every listener of
 * `connection` is in place: they get the others only.
 */
export function boundConnections(
  server: Server,
  { max, perAddressMax, exempt }: ConnectionBounds,
  onRefused: (bound: 'all' | 'address') => void,
): { readonly open: () => number } {
  const isExempt = createTrust(exempt)
  const counts = new Map<string, number>()
  let open = 0
  const findBound = (address: string, block: string) => {
    if (open >= max) return 'all'
    if (perAddressMax === null || (counts.get(block) ?? 0) < perAddressMax) return undefined
    return isExempt(address) ? undefined : 'address'
  }
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // Undefined if the client is gone already.
    const address = socket.remoteAddress ?? ''
    const block = groupOfAddress(address)
    const bound = findBound(address, block)
    if (bound) {
      socket.destroy()
      onRefused(bound)
      return
    }
    open += 1
    counts.set(block, (counts.get(block) ?? 0) + 1)
    socket.once('close', () => {
      open -= 1
      const left = (counts.get(block) ?? 0) - 1
      if (left > 0) counts.set(block, left)
      else counts.delete(block)
    })
    for (const listener of listeners) listener.call(server, socket)
  })
  return { open: () => open }
}
