import type { PortalInfo } from '../data/portal-info.ts'
import { type Connector, createConnector } from './connector.ts'
import { createQuietStorage } from './quiet-storage.ts'

/** Creates the connector of the page. In a sandbox it also adds the sandbox's wallet, whose code other pages never load. */
export function openConnector({ visitor, chains }: PortalInfo): Connector {
  const connector = createConnector(
    window,
    createQuietStorage(() => localStorage),
  )
  const wallet = visitor?.wallet
  if (wallet) {
    import('./test-wallet-dialog.tsx').then(
      ({ startTestWallet }) => startTestWallet(wallet, { chains }),
      // The form says that there is no wallet, and how to get one.
      () => undefined,
    )
  }
  return connector
}
