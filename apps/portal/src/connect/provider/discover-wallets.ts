import type { BrowserWallet, Provider } from './provider.ts'

/** Window, or what a test uses instead of it. */
export type WalletWindow = EventTarget & { readonly ethereum?: unknown }

// Each extension announces one or two. A page full of announcements would hide the visitor's own wallet.
const walletsMax = 20
const nameLengthMax = 40
// A wallet's icon is 96 pixels wide (EIP-6963).
const iconLengthMax = 200_000

/**
 * Calls `listener` with the wallets of the browser at once and after each announcement (EIP-6963). A browser in which none is
 * announced may have one in `window.ethereum` (EIP-1193).
 */
export function discoverWallets(target: WalletWindow, listener: (wallets: readonly BrowserWallet[]) => void): void {
  let announced: readonly BrowserWallet[] = []
  const publish = () => listener(addInjected(announced, target.ethereum))
  const onAnnounce = (event: Event) => {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail)
    if (!wallet || announced.length >= walletsMax || announced.some(({ id }) => id === wallet.id)) return
    announced = [...announced, wallet]
    publish()
  }
  target.addEventListener('eip6963:announceProvider', onAnnounce)
  target.addEventListener('ethereum#initialized', publish)
  target.dispatchEvent(new Event('eip6963:requestProvider'))
  publish()
}

/** Adds the provider in `window.ethereum`, unless it is one that was announced. */
function addInjected(announced: readonly BrowserWallet[], ethereum: unknown): readonly BrowserWallet[] {
  if (!isProvider(ethereum) || announced.some(({ provider }) => provider === ethereum)) return announced
  // Extensions put one of the announced providers there, often behind a proxy, which is another object.
  if (announced.some(({ id }) => !id.startsWith(testWalletRdns))) return announced
  return [...announced, { id: 'injected', name: 'Browser wallet', icon: undefined, provider: ethereum }]
}

/** Reverse domain name of the sandbox's wallet. */
export const testWalletRdns = 'localhost.tallystick.sandbox'

/** Reads an announcement. Any script in the page can send one, so nothing in it is trusted. */
function readAnnouncement(detail: unknown): BrowserWallet | undefined {
  const { info, provider } = (isObject(detail) ? detail : {}) as { info?: unknown; provider?: unknown }
  if (!isObject(info) || !isProvider(provider)) return undefined
  const { uuid, name, icon, rdns } = info as Record<string, unknown>
  if (typeof uuid !== 'string' || typeof name !== 'string' || name.trim() === '') return undefined
  const shown = name.trim().slice(0, nameLengthMax)
  const id = typeof rdns === 'string' && rdns !== '' ? `${rdns}:${shown}` : uuid
  return { id: id.slice(0, 200), name: shown, icon: readIcon(icon), provider }
}

/** Returns an icon that the browser loads without a request. As an image, an SVG runs no script. */
function readIcon(icon: unknown): string | undefined {
  const isImage = typeof icon === 'string' && icon.length <= iconLengthMax && /^data:image\/[a-z+.-]+[;,]/.test(icon)
  return isImage ? icon : undefined
}

function isProvider(value: unknown): value is Provider {
  return isObject(value) && typeof (value as { request?: unknown }).request === 'function'
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}
