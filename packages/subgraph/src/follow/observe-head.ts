import { createLogThrottle, type Time } from '@tallystick/base'
import { type RpcPool, readLatest } from '@tallystick/chain'
import type { FollowerProgress } from './follower-status.ts'

// Rarely, because the follower that has the lock polls the same servers.
const observeMs = 5_000

type ObserverOptions = {
  readonly pool: Pick<RpcPool, 'run'>
  readonly progress: Pick<FollowerProgress, 'chainHead'>
  readonly time?: Pick<Time, 'monotonic'> | undefined
}

/** Creates a function for a waiting follower. It reads the head of the chain every 5 s, so that the lag is known. */
export function createHeadObserver({ pool, progress, time }: ObserverOptions): () => void {
  const takeTurn = createLogThrottle({ time, everyMs: observeMs })
  return () => {
    if (!takeTurn()) return
    pool.run(readLatest).then(
      (latest) => {
        progress.chainHead = latest
      },
      // The pool reports the error in its `problem`.
      () => undefined,
    )
  }
}
