import { afterAll } from 'vitest'

// Closed databases of PGlite keep 100 MB each until the garbage of a worker is collected, which it does late on a machine
// with much memory. The files of a worker share one process.
const rssBytesMax = 350 * 2 ** 20

afterAll(() => {
  if (process.memoryUsage.rss() > rssBytesMax) globalThis.gc?.()
})
