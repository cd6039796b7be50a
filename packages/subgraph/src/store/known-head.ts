import type { Block } from './block.ts'

export type KnownHead = {
  readonly head: Block | undefined
  /** Call it before the database is asked; what it returns takes the answer. */
  ask(): (answer: Block | undefined) => void
}

/** The last head heard of. An answer that was asked for before one already heard is older, and does not count. */
export function createKnownHead(initial: Block | undefined): KnownHead {
  let head = initial
  let asked = 0
  let heard = 0
  return {
    get head() {
      return head
    },
    ask: () => {
      asked += 1
      const mine = asked
      return (answer) => {
        if (mine < heard) return
        heard = mine
        head = answer
      }
    },
  }
}
