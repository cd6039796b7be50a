import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMetrics } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createManualTime } from '../../../base/test/test-time.ts'
import { eventMetricHelp } from './event-metrics.ts'
import { startEventStreams } from './start-event-streams.ts'

const row = (id: bigint, tag = 'old') => ({
  id,
  type: 'status',
  chainId: 324,
  data: `${tag}${id}`,
  createdAt: 0n,
  tag,
})

/** Opens streams on a table of two events. Reads that a change of the table causes wait for `releaseReads`. */
async function openStreams() {
  let rows = [row(1n), row(2n)]
  const notified: (() => void)[] = []
  let released = Promise.resolve()
  let releaseReads = () => {}
  const database = {
    engine: 'pglite',
    query: async (text: string, [afterId = 0n]: readonly bigint[]) => {
      if (text.includes('order by id desc')) return rows.toReversed()
      await released
      return rows.filter(({ id }) => id > afterId)
    },
    listen: async (_channel: string, onNotify: () => void) => {
      notified.push(onNotify)
      return async () => undefined
    },
  } as unknown as Database
  const streams = await startEventStreams({
    database,
    keyRing: { findByHash: () => undefined, onChange: () => undefined },
    time: createManualTime(),
    metrics: createMetrics(eventMetricHelp),
    log: pino({ enabled: false }),
    bounds: { perKeyMax: 1, max: 1 },
  })
  onTestFinished(() => streams.stop())
  const change = (changed: typeof rows) => {
    released = new Promise((resolve) => {
      releaseReads = resolve
    })
    rows = changed
    for (const notify of notified) notify()
  }
  return { streams, change, releaseReads: () => releaseReads() }
}

/** Resumes a stream after the first event. */
function resume({ open }: Awaited<ReturnType<typeof openStreams>>['streams']) {
  let text = ''
  const response = new Writable({
    write: (chunk, _encoding, done) => {
      text += chunk
      done()
    },
  })
  onTestFinished(() => void response.destroy())
  const request = { types: ['status'], chainId: undefined, after: { id: 1n, tag: 'old' } } as const
  const target = { response: response as unknown as ServerResponse, begin: () => response }
  const opened = open({ ...request, key: { id: 'key' }, keyHash: 'hash' }, target)
  return {
    opened,
    received: () => [...text.matchAll(/event: reset|data: (.*\d)$/gm)].map(([line, data]) => data ?? line),
  }
}

// The feed reads the change before the replay, within it, just after its last comparison, and when the stream is in the hub.
const microtasks = Array.from({ length: 16 }, (_, count) => count)
const wait = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await undefined
}

test.each(microtasks)('behavior: an event %i microtasks after a resume is sent once', async (count) => {
  const { streams, change, releaseReads } = await openStreams()
  change([row(1n), row(2n), row(3n)])
  const { opened, received } = resume(streams)
  await wait(count)
  releaseReads()
  await opened
  await nextTurn()
  expect(received()).toEqual(['old2', 'old3'])
})

test.each(microtasks)('behavior: a resume %i microtasks after a read of another history is reset', async (count) => {
  const { streams, change, releaseReads } = await openStreams()
  change([row(1n, 'new')])
  releaseReads()
  await wait(count)
  const { opened, received } = resume(streams)
  await opened
  await nextTurn()
  change([row(1n, 'new'), row(2n, 'new')])
  releaseReads()
  await nextTurn()
  expect(received().slice(-2)).toEqual(['event: reset', 'new2'])
})
