import { advanceSent, isOpen, type Sighting } from '../sent/advance-sent.ts'
import type { SentStore } from '../sent/sent-store.ts'
import type { SentTransaction } from '../sent/sent-transaction.ts'

type WatchOptions = {
  /** Looks for a transaction. Undefined and errors say nothing about it. */
  readonly look: (sent: SentTransaction) => Promise<Sighting | undefined>
  /** Waits until the next look. */
  readonly wait: () => Promise<void>
  readonly signal: AbortSignal
  readonly now: () => number
}

/** Watches all transactions whose outcome can still change. */
export async function watchSent(store: SentStore, { look, wait, signal, now }: WatchOptions): Promise<void> {
  const last = new Map<string, { readonly kind: Sighting['kind']; readonly count: number }>()
  const follow = async (sent: SentTransaction) => {
    const sighting = await look(sent).catch(() => undefined)
    // The action that sent it may have changed it meanwhile.
    const present = store.get().find(({ id }) => id === sent.id)
    if (signal.aborted || !sighting || !present) return
    const { kind } = sighting
    const before = last.get(sent.id)
    const count = before?.kind === kind ? before.count + 1 : 1
    last.set(sent.id, { kind, count })
    store.update(sent.id, advanceSent(present, { sighting, nowMs: now(), count }))
  }
  while (!signal.aborted) {
    store.prune()
    await Promise.all(
      store
        .get()
        .filter((sent) => isOpen(sent, now()))
        .map(follow),
    )
    await wait()
  }
}
