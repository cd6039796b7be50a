import { createMetrics } from '@tallystick/base'
import { createMerkleTree } from '@tallystick/tlog'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createManualTime } from '../../base/test/test-time.ts'
import { logMetricHelp, startRowWatch } from './start-row-watch.ts'

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
