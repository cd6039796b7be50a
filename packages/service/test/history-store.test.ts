// @module-tag postgres

import { historyPeriodsMax, listPeriods, type Period } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseHistoryNotesQuery } from '../src/history/history-query.ts'
import { readLastPeriods } from '../src/history/history-store.ts'
import { readNotesHistory } from '../src/history/read-notes-history.ts'
import { createDeferrals, newDatabase } from './harness.ts'
import { seedPeriods } from './seed-periods.ts'

const chainIds = [10, 324]
// 1 104 periods of each chain, over a year and a half with three changes of clocks.
const periods = listPeriods({ from: '2025-05-15', days: 552 })
const couponsOf = (period: Period, chainId: number) => ({
  7: Number((period.start / 3_600n) % 500n) + 1,
  // Only one chain and the evenings have this tenor.
  ...(chainId === 324 && period.start !== period.noteDay && { 14: 365 }),
})

describe.each(databaseEngines)('%s', (engine) => {
  const { defer, finish } = createDeferrals()
  let database: Database
  beforeAll(async () => {
    database = await openDatabase(await newDatabase(engine, defer))
    defer(() => database.close())
    const logIndex = (period: Period, chainId: number) => (chainId === 10 ? Number(period.start / 3_600n) : null)
    await seedPeriods(database, { chainIds, periods: periods.slice(0, -4), coupons: couponsOf, logIndex })
    await setCheckpoint(1_000_000)
  })
  afterAll(finish)

  const setCheckpoint = async (size: number) => {
    await database.query('delete from log_checkpoints')
    await database.query("insert into log_checkpoints (size, root, note, signed_at) values ($1, '', '', 0)", [size])
  }
  const page = (parameters: Record<string, unknown>, current: Period) =>
    readNotesHistory(database, { query: parseHistoryNotesQuery(parameters, { chainIds, current }), current })

  /** Reads all pages, and lets a further period begin before each. */
  const readAll = async (parameters: Record<string, unknown>, begun = 8) => {
    const found = []
    const sizes = []
    let cursor: string | null | undefined
    for (let count = 0; cursor !== null; count++) {
      const current = periods.at(Math.min(-1, count - begun)) as Period
      const { response } = await page({ ...parameters, ...(cursor && { cursor }) }, current)
      found.push(...response.periods)
      sizes.push(response.periods.length)
      cursor = response.nextCursor
    }
    return { sizes, keys: found.map(({ chainid, period_start }) => `${period_start}:${chainid}`), found }
  }
  const expected = (until: number, ids = chainIds) =>
    periods
      .slice(0, until)
      .toReversed()
      .flatMap(({ start }) => ids.map((id) => `${start}:${id}`))

  test('default: pages have every period once, newest first, while new periods begin', async () => {
    const { sizes, keys } = await readAll({})
    expect(sizes).toEqual([historyPeriodsMax, historyPeriodsMax, 2 * 1_097 - 2 * historyPeriodsMax])
    expect(keys).toEqual(expected(-7))
  })

  test('behavior: pages that end between two chains of a period lose neither', async () => {
    expect((await readAll({ limit: '333' })).keys).toEqual(expected(-7))
    expect((await readAll({ chainid: '324', limit: '999' })).keys).toEqual(expected(-7, [324]))
  })

  test('behavior: a period that has not begun is not visible, whatever is asked', async () => {
    const current = periods.at(-8) as Period
    for (const parameters of [{ from: '2026-11-14' }, { to: '2099-12-31' }, { limit: '1' }, { maturity: '7' }]) {
      const { response } = await page(parameters, current)
      expect(response.periods[0]?.period_start).toBe(current.start.toString())
    }
    // A cursor of the future, as somebody may make one.
    const cursor = Buffer.from('99999999999.1').toString('base64url')
    expect((await page({ cursor, limit: '1' }, current)).response.periods).toEqual(
      (await page({ limit: '1' }, current)).response.periods,
    )
  })

  test('behavior: a range has both periods of its first and its last day', async () => {
    const { keys } = await readAll({ chainid: '10', from: '2025-11-01', to: '2025-11-02' })
    const days = periods.filter(({ day }) => day === '2025-11-01' || day === '2025-11-02')
    expect(keys).toEqual(days.toReversed().map(({ start }) => `${start}:10`))
    expect(keys).toHaveLength(4)
  })

  test('behavior: a tenor leaves out other coupons and periods that had none', async () => {
    const { found } = await readAll({ maturity: '14', from: '2025-06-01', to: '2025-06-02' })
    expect(found.map(({ chainid, coupons }) => [chainid, coupons.map(({ maturity }) => maturity)])).toEqual([
      ['324', [14]],
      ['324', [14]],
    ])
    expect((await readAll({ maturity: '9999' })).found).toEqual([])
  })

  test('default: a period has its log index, or null', async () => {
    const { response } = await page({ from: '2025-06-01', to: '2025-06-01', limit: '2' }, periods.at(-8) as Period)
    const start = periods.find(({ day, start, noteDay }) => day === '2025-06-01' && start !== noteDay)?.start as bigint
    expect(response.periods.map(({ logIndex }) => logIndex)).toEqual([Number(start / 3_600n), null])
  })

  test('behavior: a logged set is visible when a signed checkpoint covers its entry', async () => {
    const current = periods.at(-8) as Period
    const newest = async () => (await page({ limit: '1' }, current)).response.periods[0]
    const logged = Number(current.start / 3_600n)
    await setCheckpoint(logged)
    expect(await newest()).toMatchObject({ chainid: '324', logIndex: null })
    const isLogged = ({ chainId }: { chainId: number }) => chainId === 10
    const days = { chainIds, fromSeconds: current.noteDay, lastStart: current.start }
    expect((await readLastPeriods(database, days)).some(isLogged)).toBe(false)
    await setCheckpoint(logged + 1)
    expect(await newest()).toMatchObject({ chainid: '10', logIndex: logged })
    expect((await readLastPeriods(database, days)).some(isLogged)).toBe(true)
    await setCheckpoint(1_000_000)
  })

  test('behavior: a page is final when its periods ended 8 days ago', async () => {
    const current = periods.at(-5) as Period
    expect((await page({ to: '2026-11-04' }, current)).isFinal).toBe(true)
    expect((await page({ to: '2026-11-08' }, current)).isFinal).toBe(false)
    expect((await page({}, current)).isFinal).toBe(false)
  })

  test('default: a day has the coupons of its last period that has begun', async () => {
    const [day, evening, next] = periods.slice(-8) as unknown as [Period, Period, Period]
    const read = async (lastStart: bigint) =>
      (await readLastPeriods(database, { chainIds: [324], fromSeconds: day.noteDay, lastStart })).map(
        ({ periodStart }) => periodStart,
      )
    expect(await read(day.start)).toEqual([day.start])
    expect(await read(evening.start - 1n)).toEqual([day.start])
    expect(await read(evening.start)).toEqual([evening.start])
    expect(await read(next.start)).toEqual([next.start, evening.start])
  })
})
