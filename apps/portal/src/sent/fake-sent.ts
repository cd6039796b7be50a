import { openSentStore } from './sent-store.ts'
import type { SentTransaction } from './sent-transaction.ts'

export const fakeHash = `0x${'1a'.repeat(32)}`

/** Creates a lend that waits to be mined, for tests. */
export function fakeSent(part: Partial<SentTransaction> = {}): SentTransaction {
  const { hash = fakeHash } = part
  return {
    ...{ id: hash, hash, chainId: 324, account: `0x${'ac'.repeat(20)}`, call: '0x52:2:b2', sentAtMs: 1_000, nonce: 7 },
    ...{ act: { kind: 'lend', principal: '1000000000000000000000', tenorDays: 30 }, state: { kind: 'waiting' } },
    ...part,
  }
}

/** Creates the browser's storage and its tabs, for tests. Each tab gets the events of the others. */
export function createFakeBrowser(nowMs = () => 2_000) {
  const values = new Map<string, string>()
  const tabs: EventTarget[] = []
  const change = (from: EventTarget, key: string | null) => {
    for (const tab of tabs) if (tab !== from) tab.dispatchEvent(Object.assign(new Event('storage'), { key }))
  }
  const openTab = () => {
    const target = new EventTarget()
    tabs.push(target)
    const storage = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => {
        values.set(key, value)
        change(target, key)
      },
      removeItem: (key: string) => {
        if (values.delete(key)) change(target, key)
      },
    }
    return openSentStore({ storage, listKeys: () => [...values.keys()], target, now: nowMs })
  }
  const clear = () => {
    values.clear()
    change(new EventTarget(), null)
  }
  return { values, openTab, clear }
}
