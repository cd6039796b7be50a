import { createListeners, type QuietStorage, useSubscribed } from '@tallystick/ui'
import { useEffect, useRef } from 'preact/hooks'
import { parseSent } from './parse-sent.ts'
import { type SentTransaction, selectKept } from './sent-transaction.ts'

/** Transactions that this browser sent, in all its tabs. */
export type SentStore = ReturnType<typeof openSentStore>

// One item per transaction: two tabs that write at once do not overwrite each other's.
const prefix = 'tallystick-sent:'
// More are not ours.
const keysMax = 500

type OpenOptions = {
  readonly storage: QuietStorage
  /** Returns the keys of the storage. */
  readonly listKeys: () => readonly string[]
  /** Window, whose `storage` events report the changes of other tabs. */
  readonly target: Pick<EventTarget, 'addEventListener'>
  readonly now: () => number
}

/** Opens the transactions of this browser. Without a storage they last as long as the page. */
export function openSentStore({ storage, listKeys, target, now }: OpenOptions) {
  const { subscribe, notify } = createListeners()
  const read = (key: string) => {
    const found = parseSent(storage.getItem(key), now())
    return found && key === prefix + found.id ? [found] : []
  }
  const readAll = () => selectKept(listKeys().filter(isOwnKey).slice(0, keysMax).flatMap(read), now())
  let all = readAll()
  const set = (next: readonly SentTransaction[]) => {
    const kept = selectKept(next, now())
    for (const { id } of next) if (!kept.some((one) => one.id === id)) storage.removeItem(prefix + id)
    all = kept
    notify()
  }
  const find = (id: string) => all.find((one) => one.id === id)
  const without = (id: string) => all.filter((one) => one.id !== id)
  const put = (sent: SentTransaction) => {
    storage.setItem(prefix + sent.id, JSON.stringify(sent))
    set([...without(sent.id), sent])
  }
  target.addEventListener('storage', (event) => {
    const { key } = event as StorageEvent
    // Without a key, another tab cleared the storage.
    if (key === null) set([])
    else if (isOwnKey(key)) set([...without(key.slice(prefix.length)), ...read(key)])
  })
  // A page that the browser kept for "back" missed the events.
  target.addEventListener('pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) set(readAll())
  })
  return {
    get: () => all,
    subscribe,
    put,
    /** Replaces a transaction that is still there: another tab may have dismissed it. */
    update: (id: string, sent: SentTransaction) => {
      const known = find(id)
      if (!known || JSON.stringify(known) === JSON.stringify(sent)) return
      put(sent)
      if (id !== sent.id) remove(id)
    },
    remove,
    /** Removes what has become old. */
    prune: () => {
      if (selectKept(all, now()).length < all.length) set(all)
    },
  }
  function remove(id: string) {
    storage.removeItem(prefix + id)
    if (find(id)) set(without(id))
  }
}

function isOwnKey(key: string): boolean {
  return key.startsWith(prefix)
}

/** Returns the transactions that this browser sent, newest first. */
export function useSent({ get, subscribe }: Pick<SentStore, 'get' | 'subscribe'>): readonly SentTransaction[] {
  return useSubscribed(get, subscribe)
}

/** Calls `act` when a lend or a claim is confirmed, in whatever tab it was sent. */
export function useOnConfirmed(store: SentStore, act: () => void): void {
  const confirmed = useSent(store)
    .filter(({ state, act: { kind } }) => state.kind === 'confirmed' && (kind === 'lend' || kind === 'claim'))
    .map(({ id }) => id)
  const known = useRef(confirmed)
  useEffect(() => {
    const isNew = confirmed.some((id) => !known.current.includes(id))
    known.current = confirmed
    if (isNew) act()
  }, [confirmed.join()])
}
