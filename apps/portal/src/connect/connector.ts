import type { PortalInfo } from '@tallystick/core'
import { createListeners, createQuietStorage, type QuietStorage, quietStorage } from '@tallystick/ui'
import { discoverWallets, type WalletWindow } from './provider/discover-wallets.ts'
import type { BrowserWallet, Provider } from './provider/provider.ts'
import { parseChainId, readChainId, switchChain, type WalletChain } from './provider/switch-chain.ts'
import { WalletError } from './provider/wallet-error.ts'

export type Account = `0x${string}`

/** Connected wallet. */
export type Connection = {
  readonly wallet: BrowserWallet
  readonly account: Account
  /** Chain the wallet is on. */
  readonly chainId: number
}

export type ConnectorState = {
  readonly wallets: readonly BrowserWallet[]
  readonly connection: Connection | undefined
  /** Wallet that was asked for an account and has not answered yet. */
  readonly pending: BrowserWallet | undefined
  /** Why the last attempt failed, or why the connection ended. */
  readonly error: unknown
}

/** Knows the wallets of the browser and the one that is connected. */
export type Connector = ReturnType<typeof startConnector>

const storageKey = 'tallystick-wallet'

/** Connector of the page. `ready` resolves when the wallets that it adds itself are known. */
export type PageConnector = Connector & { readonly ready: Promise<void> }

/** Starts the connector of the page. In a sandbox it also adds the sandbox's wallet, whose code other pages never load. */
export function startPageConnector({ visitor, chains, frameAncestors }: PortalInfo): PageConnector {
  const connector = startConnector(window, quietStorage)
  if (frameAncestors && window.parent !== window) {
    import('./provider/find-safe.ts').then(
      async ({ findSafe }) => {
        const safe = await findSafe(frameAncestors)
        if (safe) connector.adopt(safe)
      },
      () => undefined,
    )
  }
  const wallet = visitor?.wallet
  if (!wallet) return { ...connector, ready: Promise.resolve() }
  const ready = import('./test-wallet-dialog.tsx').then(
    ({ startTestWallet }) => startTestWallet(wallet, { chains, storage: createQuietStorage(() => sessionStorage) }),
    // The form says that there is no wallet, and how to get one.
    () => undefined,
  )
  return { ...connector, ready }
}

/** Follows the wallets of a window, and connects to the wallet of the last visit if that still shares its account. */
export function startConnector(target: WalletWindow, storage: QuietStorage) {
  const store = createStore()
  const { set } = store
  let attempt = 0
  let unfollow = () => {}
  const end = (error: unknown) => {
    attempt += 1
    unfollow()
    storage.removeItem(storageKey)
    set({ connection: undefined, pending: undefined, error })
  }
  const open = async (wallet: BrowserWallet, method: 'eth_requestAccounts' | 'eth_accounts') => {
    attempt += 1
    const own = attempt
    unfollow()
    const [account] = readAccounts(await wallet.provider.request({ method }))
    const chainId = await readChainId(wallet.provider)
    if (own !== attempt) return
    if (!account) throw new WalletError('locked', 'The wallet shares no account. Unlock it, then try again.')
    storage.setItem(storageKey, wallet.id)
    set({ connection: { wallet, account, chainId }, pending: undefined, error: undefined })
    unfollow = follow(wallet.provider, {
      get: () => store.get().connection,
      set: (connection) => set({ connection }),
      end,
    })
  }
  /** Asks a wallet for its account. */
  const connect = async (wallet: BrowserWallet) => {
    set({ pending: wallet, connection: undefined, error: undefined })
    const own = attempt + 1
    await open(wallet, 'eth_requestAccounts').catch((error: unknown) => {
      if (own === attempt) end(error)
    })
  }
  const known = storage.getItem(storageKey)
  let adopted: readonly BrowserWallet[] = []
  discoverWallets(target, (discovered) => {
    const wallets = [...adopted, ...discovered]
    const news = wallets.filter(({ id }) => !store.get().wallets.some((wallet) => wallet.id === id))
    set({ wallets })
    const last = news.find(({ id }) => id === known)
    if (last && !store.get().connection && !store.get().pending) open(last, 'eth_accounts').catch(() => undefined)
  })
  return {
    get: store.get,
    subscribe: store.subscribe,
    connect,
    /** Adds the wallet around the page, such as a Safe, and connects to it. */
    adopt: (wallet: BrowserWallet) => {
      adopted = [wallet]
      set({ wallets: [wallet, ...store.get().wallets] })
      void connect(wallet)
    },
    /** Stops waiting for the wallet that was asked. */
    cancel: () => end(undefined),
    /** Asks the connected wallet to switch to a chain. */
    switchTo: (chain: WalletChain) => switchConnected(store, chain),
    disconnect: () => {
      const { connection } = store.get()
      end(undefined)
      if (connection) revoke(connection.wallet.provider)
    },
  }
}

async function switchConnected({ get, set }: ReturnType<typeof createStore>, chain: WalletChain): Promise<void> {
  const { connection } = get()
  if (!connection) return
  await switchChain(connection.wallet.provider, chain)
  const now = get().connection
  // Some wallets do not announce the change.
  if (now?.wallet === connection.wallet) set({ connection: { ...now, chainId: chain.id } })
}

/** Asks a wallet to share its account no longer. A wallet that cannot keeps sharing it, and the page does not ask for it. */
function revoke(provider: Provider): void {
  provider.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] }).catch(() => undefined)
}

function createStore() {
  const { subscribe, notify } = createListeners()
  let state: ConnectorState = { wallets: [], connection: undefined, pending: undefined, error: undefined }
  return {
    get: () => state,
    set: (change: Partial<ConnectorState>) => {
      state = { ...state, ...change }
      notify()
    },
    subscribe,
  }
}

type Followed = {
  readonly get: () => Connection | undefined
  readonly set: (connection: Connection) => void
  readonly end: (error: unknown) => void
}

/** Follows the account and the chain of a wallet. Returns a function that stops it. */
function follow(provider: Provider, { get, set, end }: Followed): () => void {
  const change = (part: Partial<Connection>) => {
    const connection = get()
    if (connection) set({ ...connection, ...part })
  }
  const listeners: Readonly<Record<string, (value: unknown) => void>> = {
    accountsChanged: (accounts) => {
      const [account] = readAccounts(accounts)
      if (account) change({ account })
      else end(new WalletError('locked', 'The wallet is locked, or no longer shares an account with this page.'))
    },
    chainChanged: (chainId) => change({ chainId: parseChainId(chainId) }),
    disconnect: (error) => {
      // MetaMask's code for a node that it tries to reach again.
      if ((error as { readonly code?: unknown } | undefined)?.code === 1013) return
      end(new WalletError('disconnected', 'The wallet disconnected.'))
    },
  }
  for (const [event, listener] of Object.entries(listeners)) provider.on?.(event, listener)
  return () => {
    for (const [event, listener] of Object.entries(listeners)) provider.removeListener?.(event, listener)
  }
}

function readAccounts(value: unknown): readonly Account[] {
  if (!Array.isArray(value)) return []
  return value.filter((account): account is Account => typeof account === 'string' && /^0x[0-9a-f]{40}$/i.test(account))
}
