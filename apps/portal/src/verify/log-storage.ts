import type { LogStorage } from '@tallystick/client'
import { quietStorage } from '@tallystick/ui'

const prefix = 'tallystick-log '
const keyName = 'tallystick-log-key'

/** Keeps the last checkpoint of each log in this browser, so that a log cannot show it another history later. */
export const logStorage: LogStorage = {
  get: (origin) => quietStorage.getItem(prefix + origin),
  set: (origin, checkpoint) => quietStorage.setItem(prefix + origin, checkpoint),
}

/** Forgets all checkpoints. */
export function forgetCheckpoints(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name)
  } catch {
    // Without storage there is nothing to forget.
  }
}

/** Returns the verifier key that the visitor has pasted. It is public. */
export function readPastedKey(): string {
  return quietStorage.getItem(keyName) ?? ''
}

export function storePastedKey(key: string): void {
  quietStorage.setItem(keyName, key)
}
