import type { Server, Socket } from 'node:net'
import { createTrust } from '@tallystick/base'
import { groupOfAddress } from '../request/address-group.ts'

export type ConnectionBounds = {
  readonly max: number
  /** Null is unlimited. An IPv6 address counts as its /64 network. */
  readonly perAddressMax: number | null
  /** Addresses and networks without a bound per address: the trusted proxies. */
  readonly exempt: readonly string[]
}

/**
 * Destroys connections over a bound before TLS and HTTP see them. Call it after all listeners of `connection` are added:
 * they receive only the other connections.
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
    // Undefined if the client has disconnected.
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
