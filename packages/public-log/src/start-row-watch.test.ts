import { createMetrics } from '@tallystick/base'
import { createMerkleTree, leafHash } from '@tallystick/tlog'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createManualTime } from '../../base/test/test-time.ts'
import { logMetricHelp, startRowWatch } from './start-row-watch.ts'

test('behavior: a run compares the newest entries and some of the others, and all in turns', async () => {
  const entries = 70 * 256 + 1
  const leaf = leafHash(new Uint8Array())
  const tree = createMerkleTree()
  for (let index = 0; index < entries; index++) tree.append(leaf)
  const read: number[] = []
  const query = async (text: string, [from]: readonly number[] = []) => {
    if (text.includes('digest')) read.push(Number(from) / 256)
    return text.includes('digest') ? [{ digest: `${from}` }] : []
  }
  const watch = startRowWatch({
    database: { snapshot: (work: (snapshot: never) => unknown) => work({ query } as never) } as never,
    publicLog: { head: () => ({ size: entries, root: new Uint8Array(32), note: '' }), tree },
    metrics: createMetrics(logMetricHelp),
    log: pino({ level: 'silent' }),
    time: createManualTime(),
  })
  // The first run began with the watch.
  await watch.compare()
  await watch.compare()
  await watch.stop()
  expect(read.slice(0, 65)).toEqual([70, ...Array.from({ length: 64 }, (_, index) => index)])
  expect(read.slice(65)).toEqual(expect.arrayContaining([70, 64, 65, 66, 67, 68, 69]))
  // Every entry is missing in this database, and stays known as such.
  expect(watch.check().message).toContain('entry 0: it is missing')
})

test('behavior: a stop waits for the range that is read, not for the rest of a long log', async () => {
  let ranges = 0
  let endReading = () => {}
  const reading = new Promise<void>((resolve) => {
    endReading = resolve
  })
  const watch = startRowWatch({
    // A database that is slow at each range.
    database: {
      snapshot: async <Result>() => {
        ranges += 1
        await reading
        return [] as Result
      },
    },
    publicLog: { head: () => ({ size: 65_537, root: new Uint8Array(32), note: '' }), tree: createMerkleTree() },
    metrics: createMetrics(logMetricHelp),
    log: pino({ level: 'silent' }),
    time: createManualTime(),
  })
  const stopped = watch.stop()
  endReading()
  await stopped
  expect(ranges).toBe(1)
})
