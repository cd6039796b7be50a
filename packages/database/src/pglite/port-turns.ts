import { setImmediate as turn } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import type { ToThread } from './messages.ts'

export type Asked = Extract<ToThread, { id: number }>

export type Turns = {
  /** Runs the work of a request alone, when those before it have ended, unless it was aborted meanwhile. */
  alone<Result>(asked: Asked, work: (engine: Engine) => Promise<Result>): Promise<Result>
  abort(id: number): void
  /** Aborts everything that waits. */
  close(): void
}

/** Creates the turns of one port. All ports share the engine's queue. */
export function createTurns(opening: Promise<Engine>): Turns {
  const waiting = new Set<number>()
  return {
    alone: async ({ id, isCancellable }, work) => {
      waiting.add(id)
      const engine = await opening
      return engine.alone(async () => {
        // Messages that arrived during the last statement are read first. One may be the abort.
        if (isCancellable) await turn()
        if (!waiting.delete(id)) throw new Error('The statement was aborted before its start.')
        return work(engine)
      })
    },
    abort: (id) => void waiting.delete(id),
    close: () => waiting.clear(),
  }
}
