// @module-tag server

import { type LogProof, logProofSchema } from '@tallystick/core'
import { createLogKeyText } from '@tallystick/public-log'
import { decodeBase64, leafHash } from '@tallystick/tlog'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifyInclusion } from '../../tlog/test/verify-proof.ts'
import { startFakeRpc } from './fake-rpc.ts'
import { chain324, createDeferrals, createKey, newDatabase, notesOf, start, type TestService } from './harness.ts'
import { listPaths, origin, readEntries, readHead, startLogged } from './log-reader.ts'

const evening = Date.parse('2026-11-16T18:00:00-05:00')

describe('a service with a log', () => {
  let service: TestService
  let secret: string
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    service = await startLogged({ databaseUrl: await newDatabase('pglite', defer) }, defer)
    secret = (await createKey(service)).secret
    return finish
  })

  test('default: curve, signer and notes are logged before the notes are served', async () => {
    const notes = await service.call('/notes', { headers: { 'x-api-key': secret } })
    expect(notes.headers['x-tallystick-log']).toBe(`${origin};index=2;size=3`)
    expect(await readHead(service)).toMatchObject({ origin, size: 3 })
    const [curve, signer, set] = await readEntries(service)
    expect(curve).toMatchObject({ type: 'curve', points: { 7: '369', 14: '365', 30: '362' }, setBy: 'local (test)' })
    expect(signer).toMatchObject({ type: 'signer', from: null, why: 'first signer of the chain in this log' })
    expect(set).toMatchObject({ type: 'notes', chainid: '324', curve: 0, notes: notesOf(notes).data })
  })

  test('behavior: the header is the same on every way to the notes', async () => {
    const paths = ['/notes', '/notes?chainid=324', '/notes?maturity=7', '/notes?chainid=324&maturity=7,14']
    for (const path of paths) {
      const answer = await service.call(path, { headers: { 'x-api-key': secret } })
      const again = await service.call(path, {
        headers: { 'x-api-key': secret, 'if-none-match': String(answer.headers.etag) },
      })
      expect([answer.status, again.status]).toEqual([200, 304])
      expect(answer.headers['x-tallystick-log']).toBe(`${origin};index=2;size=3`)
      expect(again.headers['x-tallystick-log']).toBe(`${origin};index=2;size=3`)
    }
  })

  test.each(['', '&period=1794805200', '&period=2026-11-16T05:00:00Z', '&period=2026-11-16T17:59:59.999-05:00'])(
    'default: a proof of the notes (%s)',
    async (period) => {
      const answer = await service.call(`/log/proof?chainid=324${period}`)
      expect(answer.status, answer.body).toBe(200)
      const proof: LogProof = logProofSchema.parse(answer.json())
      const [root, leaf, ...hashes] = [proof.root, proof.leafHash, ...proof.hashes].map(decodeBase64) as [
        Uint8Array,
        Uint8Array,
        ...Uint8Array[],
      ]
      expect(verifyInclusion({ index: proof.index, size: proof.size, root, leaf, hashes })).toBe(true)
      expect(leafHash(new Uint8Array(Buffer.from(proof.entry)))).toEqual(leaf)
    },
  )

  test('behavior: what never changes is cached for ever, the checkpoint is not', async () => {
    for (const path of listPaths(3)) {
      expect((await service.call(path)).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
    expect((await service.call('/log/checkpoint')).headers['cache-control']).toBe('no-cache')
  })

  test.each([
    ['/log/proof', 400, 'invalid_parameter'],
    ['/log/proof?chainid=1', 400, 'invalid_chainid'],
    ['/log/proof?chainid=324&period=', 400, 'invalid_parameter'],
    ['/log/proof?chainid=324&period=yesterday', 400, 'invalid_parameter'],
    ['/log/proof?chainid=324&period=-1', 400, 'invalid_parameter'],
    ['/log/proof?chainid=324&period=99999999999999', 400, 'invalid_parameter'],
    ['/log/proof?chainid=324&period=2026-02-31T99:00:00Z', 400, 'invalid_parameter'],
    ['/log/proof?chainid=324&period=253402300799', 404, 'not_found'],
    ['/log/proof?chainid=324&period=0', 404, 'not_found'],
    ['/log/proof?chainid=324&chainid=324', 400, 'invalid_chainid'],
    ['/log/proof?chainid=324&size=3', 400, 'invalid_parameter'],
    ['/log/checkpoint?x=1', 400, 'invalid_parameter'],
    ['/log/tile/0/000', 404, 'not_found'],
    ['/log/tile/0/000.p/4', 404, 'not_found'],
    ['/log/tile/1/000.p/1', 404, 'not_found'],
    ['/log/tile/99/000.p/1', 404, 'not_found'],
    ['/log/tile/0/x999/x999/x999/x999/999', 404, 'not_found'],
    ['/log/tile/entries/000.p/0', 404, 'not_found'],
    ['/log/tile/entries/001.p/1', 404, 'not_found'],
    ['/log/tile/0/000.p/1%2F..', 404, 'not_found'],
    ['/log/tile/%00/000', 404, 'not_found'],
    ['/log/tile/', 404, 'not_found'],
    ['/log', 404, 'not_found'],
  ])('error: GET %s is %i %s', async (path, status, code) => {
    const answer = await service.call(path)
    expect([answer.status, answer.json().code], answer.body).toEqual([status, code])
  })

  test('error: a set in the log cannot be discarded, however far ahead a wrong clock signed it', async () => {
    const setting = { databaseUrl: await newDatabase(), at: '2027-01-10T10:00:00-05:00' }
    const ahead = await startLogged(setting)
    await ahead.stop()
    const later = await startLogged({ ...setting, at: '2026-11-16T10:00:00-05:00' })
    const refused = await later.admin('/notes/discard', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chainId: 324, period: '2027-01-10T05:00:00Z' }),
    })
    expect([refused.status, refused.json().code]).toEqual([409, 'rail_refused'])
    expect(refused.json().message).toContain('these notes are entry 2 of the public log')
  })
})

describe('nothing of the next period can be learnt before its first second', () => {
  test('behavior: from any public path, header or proof, until the boundary of the later clock', async () => {
    const signAhead = { at: '2026-11-16T17:55:00-05:00', curve: null }
    const service = await startLogged({ databaseUrl: await newDatabase(), ...signAhead })
    const { secret } = await createKey(service)
    await service.operator.setCurve({ points: { 7: 369, 14: 365, 30: 362 }, by: 'now' })
    await expect.poll(async () => (await readHead(service).catch(() => undefined))?.size).toBe(4)
    const rows = await service.database.query<{ entry: string; index: bigint }>('select entry, index from log_entries')
    const entries = rows.map(({ entry: text, index }) => ({ ...JSON.parse(text), index: Number(index) }))
    // Both sets are signed at once, so either may be logged first.
    const entry = entries.find(({ period }) => period?.start === String(evening / 1000))
    const upToIt = `/log/tile/entries/000.p/${entry.index + 1}`

    /** Reads every public path, and with the key whatever a partner can. */
    const readEverything = async () => {
      const { size } = await readHead(service)
      const paths = [
        ...listPaths(size),
        '/log/checkpoint',
        '/log/key',
        '/openapi.json',
        '/docs',
        '/chains',
        '/calendar',
      ]
      const periods = [evening / 1000 - 1, evening / 1000, evening / 1000 + 3600]
      const proofs = periods.map((second) => `/log/proof?chainid=324&period=${second}`)
      const keyed = ['/notes', '/notes?chainid=324', '/rate', '/history/notes', '/history/rate', '/portal/last-period']
      const texts: string[] = []
      for (const path of [...paths, ...proofs, ...keyed]) {
        const answer = await service.call(path, { headers: { 'x-api-key': secret } })
        texts.push(answer.body, JSON.stringify(answer.headers))
      }
      return texts.join('\n')
    }
    const secrets = [
      entry.salt,
      ...entry.notes.flatMap(({ signature }: never) => Object.values(signature)).filter(isLong),
    ]
    expect(secrets.length).toBe(7)
    const expectHidden = async () => {
      const text = await readEverything()
      for (const one of secrets) expect(text).not.toContain(one)
    }
    await expectHidden()
    const withheld = await service.call(upToIt)
    expect([withheld.status, withheld.json().code]).toEqual([404, 'log_entries_withheld'])
    expect((await service.call(`/log/tile/entries/000.p/${entry.index}`)).status).toBe(200)

    service.clock.hold(evening - 1)
    await expectHidden()
    service.clock.hold(evening)
    expect((await service.call(upToIt)).status).toBe(200)
    const text = await readEverything()
    for (const one of secrets) expect(text).toContain(one)
  })

  test('behavior: a curve that is not in force yet is committed to at once and shown at its boundary', async () => {
    const service = await startLogged({ databaseUrl: await newDatabase() })
    expect((await readHead(service)).size).toBe(3)
    await service.operator.setCurve({ points: { 7: 377, 14: 376, 30: 375 }, by: 'tomorrow' })
    await expect.poll(async () => (await readHead(service)).size).toBe(4)
    expect((await service.call('/log/tile/entries/000.p/4')).json().code).toBe('log_entries_withheld')
    service.clock.hold(evening)
    await expect.poll(async () => (await readEntries(service))[3]).toMatchObject({ points: { 7: '377' } })
    await expect.poll(async () => (await readEntries(service)).at(-1)).toMatchObject({ type: 'notes', curve: 3 })
  })

  test('behavior: a local clock that is ahead of the database’s shows nothing early', async () => {
    const databaseClock = { now: () => evening - 60_000 }
    const service = await startLogged({
      databaseUrl: await newDatabase(),
      at: '2026-11-16T17:59:00-05:00',
      databaseClock,
    })
    await expect.poll(async () => (await readHead(service)).size).toBe(4)
    service.clock.hold(evening + 1_000)
    expect((await service.call('/log/tile/entries/000.p/4')).json().code).toBe('log_entries_withheld')
    expect((await service.call(`/log/proof?chainid=324&period=${evening / 1000}`)).status).toBe(404)
  })
})

describe('an embedded database and a clock that a chain contradicts', () => {
  test('error: nothing of the next period is shown, and the next day is not signed while the RPC fails', async () => {
    const trueMs = evening - 9 * 60_000
    let isFaulty = false
    const rpc = await startFakeRpc({ timestampSeconds: () => (isFaulty ? Number.NaN : trueMs / 1000) })
    const service = await startLogged({
      databaseUrl: await newDatabase('pglite'),
      at: new Date(trueMs).toISOString(),
      config: { chains: [{ ...chain324, rpc: [rpc] }] },
    })
    const { secret } = await createKey(service)
    const headers = { 'x-api-key': secret }
    await expect.poll(async () => (await readHead(service)).size).toBe(4)
    service.clock.hold(evening + 3_600_000)
    expect((await service.call('/log/tile/entries/000.p/4')).json().code).toBe('log_entries_withheld')
    expect((await service.call(`/log/proof?chainid=324&period=${evening / 1000}`)).status).toBe(404)
    const history = await service.call('/history/notes?chainid=324', { headers })
    expect(history.body).not.toContain(`"period_start":"${evening / 1000}"`)
    isFaulty = true
    service.clock.hold(trueMs + 20 * 3_600_000)
    const current = async () => (await service.admin('/notes')).json().chains[0].current
    await expect.poll(current).toMatchObject({ signed: false, refusal: { reason: 'clock_off_chain' } })
  })
})

describe('the beginning', () => {
  test('behavior: a log that is added later logs the notes of the period before it serves them again', async () => {
    const databaseUrl = await newDatabase()
    const without = await start({ databaseUrl, at: '2026-11-16T10:00:00-05:00' })
    const { secret } = await createKey(without)
    const before = await without.call('/notes', { headers: { 'x-api-key': secret } })
    expect(before.headers['x-tallystick-log']).toBeUndefined()
    expect((await without.call('/log/checkpoint')).status).toBe(404)
    expect(without.log()).toContain('nobody can check afterwards what this service signed')
    await without.stop()
    const service = await startLogged({ databaseUrl })
    const after = await service.call('/notes', { headers: { 'x-api-key': secret } })
    expect(after.body).toBe(before.body)
    expect(after.headers['x-tallystick-log']).toBe(`${origin};index=2;size=3`)
  })

  test('behavior: another signer is logged before its first notes, with the reason', async () => {
    const databaseUrl = await newDatabase()
    const first = await startLogged({ databaseUrl })
    const head = await readHead(first)
    await first.stop()
    expect(head.size).toBe(3)
    const other = `0x${'02'.repeat(32)}`
    const setting = { databaseUrl, at: '2026-11-16T18:00:00-05:00', env: { OTHER_SIGNER: other } }
    const config = {
      signer: { kind: 'private-key', key: 'env:OTHER_SIGNER' },
      log: { signerReason: 'yearly rotation' },
    }
    const second = await startLogged({ ...setting, config })
    await expect.poll(async () => (await readHead(second)).size).toBe(5)
    const entries = await readEntries(second)
    expect(entries[3]).toMatchObject({
      type: 'signer',
      from: entries[1]?.type === 'signer' && entries[1].to,
      why: 'yearly rotation',
    })
    expect(entries[4]).toMatchObject({ type: 'notes', signer: entries[3]?.type === 'signer' && entries[3].to })
  })

  test('error: another key than the one that signed the log does not start', async () => {
    const databaseUrl = await newDatabase()
    const first = await startLogged({ databaseUrl })
    await first.stop()
    await expect(startLogged({ databaseUrl, env: { LOG_KEY: createLogKeyText(origin) } })).rejects.toThrow(
      'are not signed by the configured key of notes.example/log',
    )
  })
})

const isLong = (value: unknown): value is string => typeof value === 'string'
