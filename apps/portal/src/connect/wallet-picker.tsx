import { Button, Hex, Notice } from '@tallystick/ui'
import { useRef, useState } from 'preact/hooks'
import type { Connection, Connector, ConnectorState } from './connector.ts'
import { explainWalletError } from './explain-wallet-error.ts'
import { useIsSlow } from './progress.tsx'
import type { BrowserWallet } from './provider/provider.ts'
import { listWalletLinks } from './wallet-links.ts'

type WalletPickerProps = {
  readonly connector: Connector
  readonly state: ConnectorState
}

/**
 * Renders the connected wallet, or the wallets of the browser to choose from. The part of the page around it keeps the focus
 * (`useKeptFocus`): after a rejection and after the end of a connection, the wallet that was used has it.
 */
export function WalletPicker({ connector, state: { wallets, connection, pending, error } }: WalletPickerProps) {
  const used = useRef<string>(undefined)
  used.current = (connection?.wallet ?? pending)?.id ?? used.current
  if (connection) return <Connected connection={connection} onDisconnect={connector.disconnect} />
  if (pending) return <Pending wallet={pending} onCancel={connector.cancel} />
  return (
    <>
      {wallets.length > 0 ? (
        <ul class="wallet-list grid">
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <button
                type="button"
                class="wallet-choice flex middle full"
                data-focus={wallet.id === used.current || undefined}
                onClick={() => void connector.connect(wallet)}
              >
                <WalletIcon wallet={wallet} />
                <span>{wallet.name}</span>
                <span class="wallet-connect end">Connect</span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <NoWallet />
      )}
      {error === undefined ? null : <WalletErrorNotice error={error} />}
    </>
  )
}

/** Renders how to get a wallet: a phone opens the page in the browser of one. */
function NoWallet() {
  const [isPhone] = useState(() => matchMedia('(hover: none) and (pointer: coarse)').matches)
  if (!isPhone) {
    return (
      <Notice tone="calm" title="No wallet in this browser">
        Install a wallet as an extension of this browser, then reload the page.
      </Notice>
    )
  }
  return (
    <>
      <p class="hint">This browser has no wallet. Open this page in the browser of your wallet:</p>
      <ul class="wallet-list grid">
        {listWalletLinks(location.href).map(({ name, href }) => (
          <li key={name}>
            <a class="wallet-choice flex middle full" href={href} target="_blank" rel="noreferrer">
              <WalletIcon wallet={{ name, icon: undefined }} />
              <span>{name}</span>
              <span class="wallet-connect end">Open</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Renders why a wallet or a transaction failed. */
export function WalletErrorNotice({ error }: { readonly error: unknown }) {
  const { title, text, isCalm } = explainWalletError(error)
  return <Notice tone={isCalm ? 'calm' : 'bad'} title={title} text={text} />
}

function WalletIcon({ wallet: { name, icon } }: { readonly wallet: Pick<BrowserWallet, 'name' | 'icon'> }) {
  if (icon) return <img class="wallet-icon" src={icon} alt="" width={32} height={32} />
  return (
    <span class="wallet-icon wallet-letter grid bold" aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}

type ConnectedProps = {
  readonly connection: Connection
  readonly onDisconnect: () => void
}

function Connected({ connection: { wallet, account }, onDisconnect }: ConnectedProps) {
  return (
    <div class="wallet-connected flex middle" tabIndex={-1} data-focus>
      <WalletIcon wallet={wallet} />
      <div class="shrink">
        <strong class="block">{wallet.name}</strong>
        <Hex value={account} />
      </div>
      <Button label="Disconnect" onClick={onDisconnect} />
    </div>
  )
}

function Pending({ wallet, onCancel }: { readonly wallet: BrowserWallet; readonly onCancel: () => void }) {
  const isSlow = useIsSlow(wallet)
  return (
    <div class="wallet-connected flex middle" role="status" tabIndex={-1} data-focus>
      <WalletIcon wallet={wallet} />
      <div class="shrink">
        <strong class="block">Waiting for {wallet.name}</strong>
        <span class="hint">
          {isSlow
            ? 'It has not answered yet. Look for its window, or click its icon beside the address bar.'
            : 'Allow the connection in the wallet.'}
        </span>
      </div>
      <Button label="Cancel" onClick={onCancel} />
    </div>
  )
}
