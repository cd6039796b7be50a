import { executionAsyncResource } from 'node:async_hooks'

const kept: object[] = []

/**
 * Keeps one of the objects that `process.nextTick` creates. A major collection while none is alive frees their hidden class,
 * and V8 then adds each of their members by a slow call for as long as the process runs: a tenth of the time of a request.
 */
export function keepTickObject(): void {
  process.nextTick(() => {
    kept[0] = executionAsyncResource()
  })
}
