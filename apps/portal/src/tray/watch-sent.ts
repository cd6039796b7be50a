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
  const misses = new Map<string, number>()
  const follow = async (sent: SentTransaction) => {
    const sighting = await look(sent).catch(() => undefined)
    if (signal.aborted || !sighting) return
    const isMiss = sighting.kind === 'absent' || sighting.kind === 'overtaken'
    const count = isMiss ? (misses.get(sent.id) ?? 0) + 1 : 0
    misses.set(sent.id, count)
    store.update(sent.id, advanceSent(sent, { sighting, nowMs: now(), misses: count }))
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
