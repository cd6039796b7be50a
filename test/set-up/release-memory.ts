import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll } from 'vitest'

// Closed databases of PGlite keep 100 MB each until the garbage of a worker is collected, which it does late on a machine
// with much memory. The files of a worker share one process, and there is one worker more than cores.
const rssBytesMax = (3 * 2 ** 30) / (availableParallelism() + 1)

afterAll(() => {
  if (process.memoryUsage.rss() > rssBytesMax) collectGarbage()
})

/** As a flag of the process, `--expose-gc` would make a run 5 % slower. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
