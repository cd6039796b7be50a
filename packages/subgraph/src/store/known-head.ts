import type { Head } from './block.ts'

export type KnownHead = {
  readonly head: Head | undefined
  /** Starts a read: call it before the query. Returns a function that takes the head that was read. */
  startRead(): (read: Head | undefined) => void
}

/** Keeps the latest head that was read. It ignores the result of a read that started before the one it has. */
export function createKnownHead(initial: Head | undefined): KnownHead {
  let head = initial
  let started = 0
  let latest = 0
  return {
    get head() {
      return head
    },
    startRead: () => {
      started += 1
      const number = started
      return (read) => {
        if (number < latest) return
        latest = number
        head = read
      }
    },
  }
}
