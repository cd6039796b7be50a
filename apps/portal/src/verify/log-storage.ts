import type { LogStorage } from '@tallystick/client'

const prefix = 'tallystick-log '
const keyName = 'tallystick-log-key'

/** Keeps the last checkpoint of each log in this browser, so that a log cannot show it another history later. */
export const logStorage: LogStorage = {
  get: (origin) => read(prefix + origin),
  set: (origin, checkpoint) => write(prefix + origin, checkpoint),
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
  return read(keyName) ?? ''
}

export function storePastedKey(key: string): void {
  write(keyName, key)
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    // Without storage, it lasts until the page is closed.
  }
}
