import type { PortalChain } from '@tallystick/core'
import { Icon, useMessage, useSubscribed } from '@tallystick/ui'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Connector } from '../connect/connector.ts'
import type { PageState } from '../data/page-state.ts'
import { announce } from '../sent/describe-sent.ts'
import { type SentStore, useSent } from '../sent/sent-store.ts'
import { isPending, type SentTransaction } from '../sent/sent-transaction.ts'
import { TrayRow } from './tray-row.tsx'
import { useWatch } from './use-watch.ts'

export type TrayProps = Pick<PageState, 'session'> & {
  readonly sent: SentStore
  readonly connector: Connector
  readonly chains: readonly PortalChain[]
  readonly serverOffsetMs: number
}

/** Renders a button with the number of pending transactions, and a list of them with their outcomes. */
export function Tray({ sent, connector, chains, session, serverOffsetMs }: TrayProps) {
  const all = useSent(sent)
  const { connection } = useSubscribed(connector.get, connector.subscribe)
  const news = useNews(all)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useWatch(sent, { connection, session })
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const dismiss = (id: string) => {
    sent.remove(id)
    // The button that had the focus is gone, and with the last transaction the tray is.
    const target = sent.get().length > 0 ? button.current : document.getElementById('main')
    target?.focus({ preventScroll: true })
  }
  return (
    <section
      class="tray"
      aria-label="Transactions"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isOpen) close()
      }}
    >
      {all.length === 0 ? null : (
        <>
          <button
            ref={button}
            type="button"
            class={`${all.some(isPending) ? 'primary' : 'quiet'} tray-button`}
            aria-expanded={isOpen}
            aria-controls={isOpen ? 'tray-panel' : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={iconOf(all)} />
            {labelOf(all)}
          </button>
          {isOpen ? (
            <div id="tray-panel" class="card tray-panel">
              <h2>Transactions</h2>
              <ul>
                {all.map((one) => (
                  <TrayRow
                    key={one.id}
                    {...{ one, connection, serverOffsetMs, onDismiss: () => dismiss(one.id) }}
                    chain={chains.find(({ id }) => id === one.chainId)}
                  />
                ))}
              </ul>
            </div>
          ) : null}
        </>
      )}
      <p class="tray-news" role="status">
        {news}
      </p>
    </section>
  )
}

function iconOf(all: readonly SentTransaction[]) {
  if (all.some(isPending)) return 'clock'
  return all.every(({ state }) => state.kind === 'confirmed') ? 'check' : 'alert'
}

function labelOf(all: readonly SentTransaction[]): string {
  const pending = all.filter(isPending).length
  if (pending > 0) return `${pending} pending ${pending === 1 ? 'transaction' : 'transactions'}`
  return `${all.length} ${all.length === 1 ? 'transaction' : 'transactions'}`
}

const newsMs = 8_000

/** Returns the last outcome for a few seconds, in whatever tab it was seen first. */
function useNews(all: readonly SentTransaction[]): string {
  const [news, say] = useMessage(newsMs)
  const pending = useRef<readonly string[]>([])
  useEffect(() => {
    const ended = all.find((one) => !isPending(one) && pending.current.includes(one.id))
    pending.current = all.filter(isPending).map(({ id }) => id)
    if (ended) say(announce(ended))
  }, [all])
  return news
}
