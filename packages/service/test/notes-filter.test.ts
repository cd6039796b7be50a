// @module-tag server

import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { chain324, createDeferrals, createKey, newDatabase, notesOf, start, type TestService } from './harness.ts'

const otherPool = '0x0000000000000000000000000000000000000abc'
const noon = '2026-11-15T12:00:00-05:00'
const evening = Date.parse('2026-11-15T18:00:00-05:00')

/** Reads the tenors of the notes in a response, in days. */
function tenorsOf(answer: Parameters<typeof notesOf>[0]): number[] {
  return notesOf(answer).data.map(({ maturity_timestamp, note_started_at }) =>
    Math.round((Number(maturity_timestamp) - Number(note_started_at)) / 86_400),
  )
}

describe('a chain without notes beside one with fewer tenors than configured', () => {
  let service: TestService
  let key: string
  const get = (path: string, headers: Record<string, string> = { 'x-api-key': key }) => service.call(path, { headers })

  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    const databaseUrl = await newDatabase('postgres', defer)
    const chains = [{ id: 5000, name: 'Other', pool: otherPool, tenors: [60, 7] }, chain324]
    service = await start({ databaseUrl, at: noon, curve: null, config: { chains } }, defer)
    await service.operator.setCurve({ points: { 14: 365, 30: 362 }, chainId: 324 })
    key = (await createKey(service)).secret
    await vi.waitUntil(async () => (await get('/notes')).status === 200, waitOptions)
    return finish
  })

  test.each([
    ['chainid=5000&maturity=7', 'There are no notes of 7 days for the current period on chain 5000. '],
    ['chainid=5000&maturity=7,60', 'There are no notes of 7 or 60 days for the current period on chain 5000. '],
    ['chainid=324&maturity=7', 'There are no notes of 7 days for the current period on chain 324. '],
    ['maturity=60', 'There are no notes of 60 days for the current period. '],
    ['maturity=7,60', 'There are no notes of 7 or 60 days for the current period. '],
  ])('error: ?%s is an outage', async (query, message) => {
    const answer = await get(`/notes?${query}`)
    expect([answer.status, answer.headers['retry-after']]).toEqual([500, '5'])
    expect(answer.json()).toMatchObject({ code: 'notes_unavailable', message: expect.stringContaining(message) })
  })

  test.each([
    ['chainid=5000&maturity=14', 'maturity "14" is not available. Available: 7, 60.'],
    ['chainid=5000&maturity=7,14', 'maturity "14" is not available. Available: 7, 60.'],
    ['chainid=324&maturity=60', 'maturity "60" is not available. Available: 7, 14, 30.'],
    ['chainid=324&maturity=14,60', 'maturity "60" is not available. Available: 7, 14, 30.'],
    ['maturity=8', 'maturity "8" is not available. Available: 7, 14, 30, 60.'],
    ['maturity=8,30', 'maturity "8" is not available. Available: 7, 14, 30, 60.'],
  ])('error: ?%s is a wrong request', async (query, message) => {
    const answer = await get(`/notes?${query}`)
    expect([answer.status, answer.headers['retry-after']]).toEqual([400, undefined])
    expect(answer.json()).toMatchObject({ code: 'invalid_maturity', message })
  })

  test.each([
    ['chainid=324&maturity=7,14', [14], true],
    ['maturity=60,30', [30], false],
    ['maturity=7,14,30,60', [14, 30], false],
  ])('behavior: ?%s is answered with the notes that exist', async (query, tenors, isComplete) => {
    const answer = await get(`/notes?${query}`)
    expect(answer.status).toBe(200)
    expect(tenorsOf(answer)).toEqual(tenors)
    expect(notesOf(answer).availableMaturities).toEqual([14, 30])
    expect(String(answer.headers['cache-control']).includes('max-age')).toBe(isComplete)
  })

  test('error: the key and its limit are checked before the filter', async () => {
    for (const maturity of ['7', '8']) {
      expect((await get(`/notes?chainid=5000&maturity=${maturity}`, {})).json().code).toBe('invalid_api_key')
    }
    const { secret } = await createKey(service, { rpm: 2 })
    const codes: string[] = []
    for (const maturity of ['7', '8', '7', '8']) {
      const answer = await get(`/notes?chainid=5000&maturity=${maturity}`, { 'x-api-key': secret })
      codes.push(answer.json().code)
    }
    expect(codes).toEqual(['notes_unavailable', 'invalid_maturity', 'rate_limited', 'rate_limited'])
  })

  test('behavior: the fast path answers the requests without a filter', async () => {
    expect(tenorsOf(await get('/notes?chainid=324'))).toEqual([14, 30])
    expect((await get('/notes?chainid=5000')).json().code).toBe('notes_unavailable')
    expect(notesOf(await get('/notes')).message).toContain('None are available for chain 5000.')
  })
})

describe('a tenor that was removed from the configuration', () => {
  test('behavior: is accepted while its notes are on offer, also before this replica has them in memory', async () => {
    const databaseUrl = await newDatabase()
    const before = await start({ databaseUrl, at: noon })
    const after = await start({ databaseUrl, at: noon, config: { tenors: [14, 30] } })
    const { secret } = await createKey(after)
    const get = (maturity: string) => after.call(`/notes?maturity=${maturity}`, { headers: { 'x-api-key': secret } })
    expect(tenorsOf(await get('7'))).toEqual([7])
    expect((await get('8')).json().message).toContain('Available: 7, 14, 30.')

    // The replica with the earlier configuration signs the next period, which this one does not have in memory yet.
    before.clock.hold(evening)
    await expect.poll(async () => (await before.operator.showNotes()).chains[0]?.current.signed).toBe(true)
    after.clock.hold(evening)
    expect(tenorsOf(await get('7,14'))).toEqual([7, 14])

    await before.stop()
    after.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    const answer = await get('7')
    expect([answer.status, answer.json().message]).toEqual([400, 'maturity "7" is not available. Available: 14, 30.'])
  })

  test('error: while the clocks disagree, only an unknown tenor is a wrong request', async () => {
    const databaseUrl = await newDatabase()
    const before = await start({ databaseUrl, at: noon })
    await before.stop()
    let databaseNow = Date.parse(noon)
    const databaseClock = { now: () => databaseNow }
    const service = await start({ databaseUrl, at: noon, config: { tenors: [14, 30] }, databaseClock })
    const { secret } = await createKey(service)
    const get = (maturity: string) => service.call(`/notes?maturity=${maturity}`, { headers: { 'x-api-key': secret } })
    expect((await get('7')).status).toBe(200)
    databaseNow = evening
    await expect.poll(async () => (await get('14')).status).toBe(500)
    for (const known of ['7', '14', '7,30']) {
      const answer = await get(known)
      expect([answer.status, answer.json().details]).toEqual([500, { reference: 'database' }])
    }
    expect((await get('8')).json()).toMatchObject({ code: 'invalid_maturity' })
  })
})
