/** Storage that keeps nothing if the browser denies it. */
export type QuietStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Wraps a storage that the browser may deny. What is stored then lasts until the page is closed, at most. */
export function createQuietStorage(find: () => QuietStorage): QuietStorage {
  const attempt = <Value>(act: () => Value): Value | null => {
    try {
      return act()
    } catch {
      return null
    }
  }
  return {
    getItem: (key) => attempt(() => find().getItem(key)),
    setItem: (key, value) => void attempt(() => find().setItem(key, value)),
    removeItem: (key) => void attempt(() => find().removeItem(key)),
  }
}

/** Storage of this browser. */
export const quietStorage = createQuietStorage(() => localStorage)

/** Returns the keys of this browser's storage, or none if the browser denies it. */
export function listStoredKeys(): readonly string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}
