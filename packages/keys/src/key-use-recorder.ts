import { toSeconds } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { recordKeyUse } from './key-store.ts'

/** Stores when keys were last used, at most once a minute for each key. */
export type KeyUseRecorder = {
  /** Notes a use. Never waits. */
  note(id: string, nowMs: number): void
  /** Stores the uses that are not stored yet. */
  close(): Promise<void>
}

const intervalMs = 60_000

export function createKeyUseRecorder(database: Database, log: Logger): KeyUseRecorder {
  const lastUses = new Map<string, { readonly atMs: number; isStored: boolean }>()
  const store = async () => {
    const pending = [...lastUses].filter(([, { isStored }]) => !isStored)
    for (const [, use] of pending) use.isStored = true
    await recordKeyUse(
      database,
      pending.map(([id, { atMs }]) => ({ id, atSeconds: toSeconds(atMs) })),
    ).catch((error) => log.warn({ err: error }, 'last use of keys not stored'))
  }
  const timer = setInterval(store, intervalMs)
  timer.unref()
  return {
    note: (id, nowMs) => {
      const last = lastUses.get(id)
      if (last && nowMs >= last.atMs && nowMs - last.atMs < intervalMs) return
      lastUses.set(id, { atMs: nowMs, isStored: false })
    },
    close: () => {
      clearInterval(timer)
      return store()
    },
  }
}
