// @module-tag slow

import {
  calendarResponseSchema,
  decodeNote,
  historyNotesResponseSchema,
  listPeriods,
  type NotesResponse,
} from '@tallystick/core'
import { expect, onTestFinished, test } from 'vitest'
import { openStream } from './event-client.ts'
import { createKey, newDatabase, notesOf, type TestService } from './harness.ts'
import { startLogged } from './log-reader.ts'

// 15 days around each change of clocks: 60 periods.
const windows = [
  { from: '2026-03-01', to: '2026-03-15' },
  { from: '2026-10-25', to: '2026-11-08' },
]
const days = 15
const tenors = [7, 14, 30]

/** A set in the form that all sources can be brought to. */
type SeenSet = { readonly start: string; readonly end: string; readonly coupons: readonly (readonly string[])[] }

function seenInNotes({ data }: NotesResponse): SeenSet {
  const { validAfter, validBefore } = decodeNote(data[0])
  const coupons = data.map(({ maturity_timestamp, coupon }) => [maturity_timestamp, coupon])
  return { start: `${validAfter + 1n}`, end: `${validBefore}`, coupons }
}

test('behavior: a month across both DST days gives the same 60 sets by notes, history, calendar, events and log', async () => {
  const firstMs = Number(listPeriods({ ...windows[0]!, days: 1 })[0]?.start) * 1000
  const at = new Date(firstMs - 3_600_000).toISOString()
  const service = await startLogged({ databaseUrl: await newDatabase(), at })
  const key = (await createKey(service)).secret
  const headers = { 'x-api-key': key }
  const stream = await openStream(service, '/events?types=notes', { key })
  onTestFinished(() => stream.close())

  const served: SeenSet[] = []
  const logged: number[] = []
  for (const window of windows) {
    for (const { start: startSeconds } of listPeriods({ ...window, days })) {
      const startMs = Number(startSeconds) * 1000
      // Another coupon for each period. It is set before the sign-ahead, which would use the curve of the period before.
      service.clock.hold(startMs - 3_600_000)
      const points = Object.fromEntries(tenors.map((tenor) => [tenor, 300 + served.length]))
      await service.operator.setCurve({ points, confirm: true, by: 'test' })
      service.clock.hold(startMs - 60_000)
      await awaitSigned(service, startSeconds)
      service.clock.hold(startMs - 1)
      const before = historyOf(await service.call('/history/notes?limit=1', { headers }))
      expect(before[0]?.start).not.toBe(`${startSeconds}`)
      service.clock.hold(startMs)
      const notes = await service.call('/notes?chainid=324', { headers })
      served.push(seenInNotes(notesOf(notes)))
      logged.push(Number(/index=(\d+)/.exec(String(notes.headers['x-tallystick-log']))?.[1]))
      expect(historyOf(await service.call('/history/notes?limit=1', { headers }))[0]).toEqual(served.at(-1))
      await expect.poll(() => countEvents(stream, startSeconds), { interval: 5 }).toBe(1)
    }
  }
  expect(served).toHaveLength(60)
  expect(new Set(served.map(({ coupons }) => coupons[0]?.[1])).size).toBe(60)

  const calendars = []
  const histories = []
  const logIndexes = []
  for (const { from, to } of windows) {
    const calendar = await service.call(`/calendar?from=${from}&days=${days}`)
    calendars.push(...calendarResponseSchema.parse(calendar.json()).periods)
    const history = await service.call(`/history/notes?from=${from}&to=${to}`, { headers })
    histories.push(...historyOf(history).toReversed())
    logIndexes.push(
      ...historyNotesResponseSchema
        .parse(history.json())
        .periods.map(({ logIndex }) => logIndex)
        .reverse(),
    )
  }
  expect(calendars.map(({ start, end }) => ({ start, end }))).toEqual(served.map(({ start, end }) => ({ start, end })))
  expect(calendars.filter(({ isDstDay }) => isDstDay).map(({ hours }) => hours)).toEqual([17, 19])
  expect(histories).toEqual(served)
  expect(logIndexes).toEqual(logged)

  const wanted = new Set(served.map((set) => set.start))
  const pushed = stream.events().map(({ data }) => seenInNotes(data))
  expect(pushed.filter((set) => wanted.has(set.start))).toEqual(served)
})

async function awaitSigned(service: TestService, startSeconds: bigint): Promise<void> {
  const query = 'select 1 from note_sets where period_start = $1'
  await expect.poll(() => service.database.query(query, [startSeconds]), { interval: 5 }).toHaveLength(1)
}

function historyOf(answer: { json(): unknown }): SeenSet[] {
  return historyNotesResponseSchema.parse(answer.json()).periods.map(({ period_start, period_end, coupons }) => ({
    start: period_start,
    end: period_end,
    coupons: coupons.map(({ maturity_timestamp, coupon }) => [maturity_timestamp, coupon]),
  }))
}

function countEvents(stream: Awaited<ReturnType<typeof openStream>>, startSeconds: bigint): number {
  return stream.events().filter(({ data }) => seenInNotes(data).start === `${startSeconds}`).length
}
