import type { BrowserWallet } from './provider.ts'
import { openSafe } from './safe-channel.ts'
import { createSafeProvider } from './safe-provider.ts'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%231a1a1a'/%3E%3Cpath d='M8 12h16v10H8z' fill='none' stroke='%2312ff80' stroke-width='2'/%3E%3Cpath d='M16 15v4' stroke='%2312ff80' stroke-width='2'/%3E%3C/svg%3E"

const waitMs = 1_000

/** Returns the wallet of the Safe that shows the page, or undefined if no Safe of the given origins does. */
export async function findSafe(origins: readonly string[]): Promise<BrowserWallet | undefined> {
  const safe = await openSafe({
    target: window,
    origins,
    createId: () => crypto.randomUUID(),
    wait: () => new Promise((resolve) => setTimeout(resolve, waitMs)),
  })
  return safe && { id: 'safe', name: 'Safe', icon, provider: createSafeProvider(safe), hasOwners: true }
}
