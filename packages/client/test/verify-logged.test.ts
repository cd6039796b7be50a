import { type Period, periodAt } from '@tallystick/core'
import { createPublicLog, type PublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { type LogFault, type PublicLogServer, servePublicLog } from '@tallystick/workbench/public-log/serve-public-log'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Environment } from '../src/environment.ts'
import { type LogStorage, type Note, verifyLogged } from '../src/index.ts'
import { verifyLoggedIn } from '../src/log/verify-logged.ts'
import { decodeNotes } from '../src/notes/decode-notes.ts'
import { failureOf } from './failure-of.ts'
import { formatNotesEntry, morning, signedNote, tenors } from './fake-api.ts'

const period = periodAt(BigInt(morning / 1000))
const nextPeriod = periodAt(period.end)

async function wireNotes(of: Period, chainId: number) {
  return Promise.all(tenors.map((tenorDays) => signedNote(of, { chainId, tenorDays })))
}

async function notesOf(of: Period, chainId = 324): Promise<readonly Note[]> {
  return decodeNotes({ message: '', data: await wireNotes(of, chainId) }).notes
}

async function entryOf(of: Period, chainId = 324): Promise<string> {
  return formatNotesEntry(await wireNotes(of, chainId), of)
}

/** Adds entries until the log has a size. */
function fill(log: PublicLog, size: number): void {
  while (log.entries.length < size) log.append(`{"v":1,"type":"signer","at":"${log.entries.length}"}`)
}

let server: PublicLogServer
let notes: readonly Note[]
beforeAll(async () => {
  server = await servePublicLog(createPublicLog())
  notes = await notesOf(period)
})
afterAll(() => server.close())

/** Serves a new log of a size with the notes of the period at an index. */
async function serve({ index, size }: { readonly index: number; readonly size: number }): Promise<PublicLog> {
  const log = createPublicLog()
  fill(log, index)
  log.append(await entryOf(period))
  fill(log, size)
  log.publish()
  server.log = log
  return log
}

beforeEach(async () => {
  server.requests.length = 0
  server.faultOf = () => undefined
})

const verify = (given: readonly Note[] = notes, storage?: LogStorage) =>
  verifyLogged(given, { log: server.url, key: server.log.key, storage })

function createStorage(): LogStorage & { readonly checkpoints: Map<string, string> } {
  const checkpoints = new Map<string, string>()
  return {
    checkpoints,
    get: (origin) => checkpoints.get(origin),
    set: (origin, checkpoint) => void checkpoints.set(origin, checkpoint),
  }
}

/** Injects a fault into requests whose path begins with a text. */
function fail(start: string, fault: LogFault): void {
  server.faultOf = (path) => (path.startsWith(start) ? fault : undefined)
}

describe('notes of an honest log', () => {
  test.each([
    { index: 0, size: 1 },
    { index: 1, size: 2 },
    { index: 0, size: 255 },
    { index: 255, size: 256 },
    { index: 255, size: 257 },
    { index: 256, size: 257 },
    { index: 511, size: 512 },
    { index: 300, size: 600 },
  ])('default: entry $index of $size', async ({ index, size }) => {
    const { origin } = await serve({ index, size })
    const { start, end } = period
    const expected = { chainId: 324, period: { start, end }, index, size, origin, issuedAt: start - 600n }
    expect(await verify()).toEqual([expected])
    expect(await verify(notes.slice(1, 2))).toEqual([expected])
  })

  test('default: entry 2,816 of 3,000, with few requests', async () => {
    await serve({ index: 2_816, size: 3_000 })
    expect(await verify()).toMatchObject([{ index: 2_816, size: 3_000 }])
    expect(server.requests.toSorted()).toEqual([
      'checkpoint',
      `proof?chainid=324&period=${period.start}`,
      'tile/0/011.p/184',
      'tile/1/000.p/11',
    ])
  })

  test('behavior: notes of several chains and periods are verified together', async () => {
    const log = await serve({ index: 3, size: 4 })
    log.append(await entryOf(period, 8453))
    log.append(await entryOf(nextPeriod, 324))
    log.publish()
    const other = await notesOf(period, 8453)
    const next = await notesOf(nextPeriod, 324)
    const results = await verify([next, other, notes, next].flat().toReversed())
    expect(results.map(({ chainId, index, size }) => [chainId, index, size])).toEqual([
      [324, 5, 6],
      [324, 3, 6],
      [8453, 4, 6],
    ])
    expect(server.requests.filter((path) => path.startsWith('tile/0'))).toEqual(['tile/0/000.p/6'])
  })

  test('behavior: the URL may end in slashes', async () => {
    await serve({ index: 0, size: 1 })
    expect(await verifyLogged(notes, { log: `${server.url}//`, key: server.log.key })).toHaveLength(1)
  })

  test('behavior: only constant resources may come from a cache', async () => {
    await serve({ index: 0, size: 257 })
    const modes = new Map<string, unknown>()
    const spy: typeof fetch = (url, init) => {
      modes.set(String(url).slice(server.url.length + 1), (init as { readonly cache?: unknown } | undefined)?.cache)
      return fetch(url, init)
    }
    await verifyLogged(notes, { log: server.url, key: server.log.key, fetch: spy })
    expect(Object.fromEntries(modes)).toEqual({
      checkpoint: 'no-store',
      [`proof?chainid=324&period=${period.start}`]: 'no-store',
      'tile/0/000': 'default',
      'tile/0/001.p/1': 'no-store',
      'tile/1/000.p/1': 'no-store',
    })
  })
})

describe('notes that are not logged', () => {
  const changes: readonly (readonly [string, (note: Note) => Note])[] = [
    ['coupon', (note) => ({ ...note, coupon: note.coupon + 1n })],
    ['maturity', (note) => ({ ...note, maturityTimestamp: note.maturityTimestamp + 1n })],
    ['start', (note) => ({ ...note, startedAt: note.startedAt + 1n })],
    ['end', (note) => ({ ...note, validBefore: note.validBefore + 1n })],
    ['r', (note) => ({ ...note, signature: { ...note.signature, r: `0x${'0'.repeat(64)}` } })],
    ['s', (note) => ({ ...note, signature: { ...note.signature, s: `0x${'0'.repeat(64)}` } })],
    ['v', (note) => ({ ...note, signature: { ...note.signature, v: note.signature.v === 27 ? 28 : 27 } })],
  ]

  test.each(changes)('error: a note with another %s', async (_, change) => {
    const log = await serve({ index: 1, size: 3 })
    const error = await failureOf(verify([...notes.slice(0, 2), change(notes[2] as Note)]))
    expect(error).toMatchObject({ name: 'NotLoggedError', code: 'not_logged', retryable: false })
    expect(error.details).toEqual({ index: 1, entry: Buffer.from(log.entries[1] as Uint8Array).toString() })
    expect(error.message).toContain('entry 1')
  })

  test('error: notes of another chain or period', async () => {
    await serve({ index: 1, size: 3 })
    for (const given of [await notesOf(period, 8453), await notesOf(nextPeriod)]) {
      expect(await failureOf(verify(given))).toMatchObject({ name: 'NotLoggedError', retryable: true })
    }
  })

  test('error: the log shows the entry of other notes, which it includes', async () => {
    const log = await serve({ index: 0, size: 2 })
    log.append(await entryOf(nextPeriod))
    log.publish()
    const proof = log.read(`proof?chainid=324&period=${nextPeriod.start}`)
    fail('proof', { kind: 'body', body: 'body' in proof ? proof.body : '' })
    expect(await failureOf(verify())).toMatchObject({ name: 'NotLoggedError', details: { index: 2 } })
  })

  test('error: an entry of another type, of another version, and one that is no JSON', async () => {
    const line = await entryOf(period)
    const cases = [
      [line.replace('"type":"notes"', '"type":"curve"'), 'not_logged'],
      [line.replace('"v":1', '"v":2'), 'malformed_answer'],
      [line.replace('"notes":[', '"notes":3,"others":['), 'malformed_answer'],
      [line.slice(1), 'malformed_answer'],
      ['null', 'malformed_answer'],
    ] as const
    for (const [entry, code] of cases) {
      const log = createPublicLog()
      log.append(entry)
      log.publish()
      server.log = log
      fail('proof', { kind: 'body', body: JSON.stringify({ index: 0, entry }) })
      expect(await failureOf(verify()), entry).toMatchObject({ code, retryable: false })
    }
  })
})

describe('the history of a log', () => {
  test('default: keeps the newest checkpoint, and each one continues the one before', async () => {
    const log = await serve({ index: 0, size: 1 })
    const storage = createStorage()
    for (const size of [1, 2, 3, 7, 8, 255, 256, 257, 300, 300, 513]) {
      fill(log, size)
      const checkpoint = log.publish()
      expect(await verify(notes, storage)).toMatchObject([{ size }])
      expect(storage.checkpoints.get(log.origin)).toBe(checkpoint)
    }
  })

  test('behavior: storage may be asynchronous and return null', async () => {
    await serve({ index: 0, size: 1 })
    const checkpoints: string[] = []
    const storage: LogStorage = {
      get: async () => checkpoints.at(-1) ?? null,
      set: async (_, checkpoint) => void checkpoints.push(checkpoint),
    }
    await verify(notes, storage)
    await verify(notes, storage)
    expect(checkpoints).toEqual([server.log.checkpoint])
  })

  test.each([
    { known: 3, shown: 3 },
    { known: 4, shown: 5 },
    { known: 255, shown: 256 },
    { known: 257, shown: 600 },
  ])('error: a fork from $known to $shown entries', async ({ known, shown }) => {
    const log = await serve({ index: 0, size: known })
    const storage = createStorage()
    await verify(notes, storage)
    const checkpoint = log.checkpoint
    const fork = log.fork(known - 1)
    fork.append('another history')
    fill(fork, shown)
    fork.publish()
    server.log = fork
    const error = await failureOf(verify(notes, storage))
    expect(error).toMatchObject({ name: 'LogError', code: 'log_forked', retryable: false })
    expect(error.message).toContain('two histories')
    expect(error.details).toEqual({ known: checkpoint, shown: fork.checkpoint })
    expect(storage.checkpoints.get(log.origin)).toBe(checkpoint)
    server.log = log
    expect(await verify(notes, storage)).toHaveLength(1)
  })

  test.each([0, 1, 4])('error: a checkpoint that goes back to %i entries', async (size) => {
    const log = await serve({ index: 0, size: 5 })
    const storage = createStorage()
    await verify(notes, storage)
    const checkpoint = log.checkpoint
    log.publish(size)
    const error = await failureOf(verify(notes, storage))
    expect(error).toMatchObject({ code: 'log_forked', retryable: true })
    expect(error.message).toContain('two histories, or this is an outdated copy')
    expect(storage.checkpoints.get(log.origin)).toBe(checkpoint)
  })

  test('behavior: a wrong tile is no second history, and the checkpoint is not stored', async () => {
    const log = await serve({ index: 0, size: 3 })
    const storage = createStorage()
    await verify(notes, storage)
    const checkpoint = log.checkpoint
    fill(log, 300)
    log.publish()
    fail('tile/0/000', { kind: 'flip', byte: 2 * 32 })
    expect(await failureOf(verify(notes, storage))).toMatchObject({ code: 'log_invalid' })
    expect(storage.checkpoints.get(log.origin)).toBe(checkpoint)
  })

  test('behavior: calls at the same time keep the newest checkpoint and cause no error', async () => {
    const log = await serve({ index: 0, size: 2 })
    const storage = createStorage()
    const other = createStorage()
    await verify(notes, other)
    fill(log, 5)
    log.publish()
    // While the first call reads storage again, a second one has stored a newer or an older checkpoint.
    for (const stored of [log.checkpoint, other.checkpoints.get(log.origin) as string]) {
      storage.checkpoints.clear()
      let reads = 0
      const racing: LogStorage = {
        get: (origin) => (++reads === 1 ? undefined : storage.get(origin)),
        set: storage.set,
      }
      storage.checkpoints.set(log.origin, stored)
      expect(await verify(notes, racing)).toHaveLength(1)
      expect(storage.checkpoints.get(log.origin)).toBe(log.checkpoint)
    }
  })

  test('error: a fork that a call at the same time has stored', async () => {
    const log = await serve({ index: 0, size: 5 })
    const fork = log.fork(2)
    fork.append('another history')
    fork.publish()
    let reads = 0
    const storage: LogStorage = { get: () => (++reads === 1 ? undefined : fork.checkpoint), set: () => {} }
    expect(await failureOf(verify(notes, storage))).toMatchObject({ code: 'log_forked' })
  })

  test.each(['', 'garbage', createPublicLog().checkpoint])('error: storage with the text %j', async (text) => {
    await serve({ index: 0, size: 1 })
    const storage: LogStorage = { get: () => text, set: () => expect.unreachable() }
    const error = await failureOf(verify(notes, storage))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'invalid_request' })
    expect(error.message).toContain('delete the stored checkpoint')
  })
})

describe('a static copy of a log', () => {
  const withoutProofs = (status: number) => fail('proof', { kind: 'status', status })

  test.each([
    { index: 0, size: 1, status: 404 },
    { index: 256, size: 257, status: 403 },
    { index: 255, size: 256, status: 410 },
    { index: 3, size: 700, status: 404 },
    { index: 1, size: 2, status: 400 },
    { index: 1, size: 2, status: 405 },
  ])('default: finds entry $index of $size if there are no proofs ($status)', async ({ index, size, status }) => {
    await serve({ index, size })
    withoutProofs(status)
    expect(await verify()).toMatchObject([{ index, size }])
  })

  test('behavior: finds the entry before those that are withheld', async () => {
    const log = await serve({ index: 254, size: 255 })
    for (let count = 0; count < 4; count++) log.append(`withheld ${count}`, { isWithheld: true })
    log.publish()
    withoutProofs(404)
    expect(await verify()).toMatchObject([{ index: 254, size: 259 }])
    expect(server.requests.filter((path) => path.startsWith('tile/entries'))).toEqual([
      'tile/entries/001.p/3',
      'tile/entries/001',
      'tile/entries/001.p/2',
      'tile/entries/001.p/1',
      'tile/entries/000',
      'tile/entries/000.p/255',
    ])
  })

  test('behavior: partial tiles that were deleted are read from the full ones', async () => {
    const log = await serve({ index: 257, size: 300 })
    const checkpoint = log.checkpoint
    fill(log, 512)
    log.publish()
    server.faultOf = (path) => {
      if (path === 'checkpoint') return { kind: 'body', body: checkpoint }
      return path.startsWith('proof') || path.includes('.p/') ? { kind: 'status', status: 404 } : undefined
    }
    // The full tile of level 1 is not there yet.
    expect(await failureOf(verify())).toMatchObject({ name: 'LogError', code: 'log_incomplete', retryable: true })
    server.faultOf = (path) => {
      if (path === 'checkpoint') return { kind: 'body', body: checkpoint }
      return /^(proof|tile\/(0|entries)\/.*\.p)/.test(path) ? { kind: 'status', status: 404 } : undefined
    }
    expect(await verify()).toMatchObject([{ index: 257, size: 300 }])
  })

  test('error: the search is bounded', async () => {
    await serve({ index: 0, size: 256 * 8 + 1 })
    withoutProofs(404)
    expect(await failureOf(verify())).toMatchObject({ name: 'NotLoggedError', retryable: true })
    expect(server.requests.filter((path) => path.startsWith('tile/entries'))).toHaveLength(8)
    server.requests.length = 0
    server.faultOf = (path) => (/^(proof|tile\/entries)/.test(path) ? { kind: 'status', status: 404 } : undefined)
    expect(await failureOf(verify())).toMatchObject({ name: 'NotLoggedError', retryable: true })
    expect(server.requests.length).toBeLessThan(300)
  })

  test('error: an empty log, and a bundle that is cut', async () => {
    server.log = createPublicLog()
    expect(await failureOf(verify())).toMatchObject({ name: 'NotLoggedError', retryable: true })
    await serve({ index: 1, size: 3 })
    server.faultOf = (path) => {
      if (path.startsWith('proof')) return { kind: 'status', status: 404 }
      return path.startsWith('tile/entries') ? { kind: 'body', body: Buffer.from([0, 9, 1]) } : undefined
    }
    expect(await failureOf(verify())).toMatchObject({ code: 'log_invalid' })
  })
})

describe('a hostile log', () => {
  test('error: a changed bit of the checkpoint or of a tile', async () => {
    const log = await serve({ index: 2, size: 5 })
    const storage = createStorage()
    log.publish(3)
    await verify(notes, storage)
    log.publish()
    const places: [string, number][] = []
    for (let byte = 0; byte < log.checkpoint.length; byte += 11) places.push(['checkpoint', byte])
    for (const leaf of [0, 1, 2, 3, 4]) places.push(['tile/0/000.p/5', leaf * 32 + leaf])
    for (const [path, byte] of places) {
      fail(path, { kind: 'flip', byte, bit: byte % 8 })
      expect(await failureOf(verify(notes, storage)), `${path} ${byte}`).toMatchObject({ code: 'log_invalid' })
    }
    expect(sizeOf(storage.checkpoints.get(log.origin))).toBe(3)
  })

  test('error: any changed character of the entry in a proof', async () => {
    const log = await serve({ index: 2, size: 5 })
    const line = Buffer.from(log.entries[2] as Uint8Array).toString()
    for (let at = 0; at < line.length; at += 97) {
      const entry = `${line.slice(0, at)}${line[at] === '0' ? '1' : '0'}${line.slice(at + 1)}`
      fail('proof', { kind: 'body', body: JSON.stringify({ index: 2, entry }) })
      expect(await failureOf(verify()), `character ${at}`).toMatchObject({ code: 'log_invalid', retryable: false })
    }
  })

  test('error: another index in a proof', async () => {
    const log = await serve({ index: 2, size: 5 })
    const entry = Buffer.from(log.entries[2] as Uint8Array).toString()
    const codes = { 1: 'log_invalid', 5: 'log_incomplete', [2 ** 52]: 'log_incomplete' }
    for (const [index, code] of Object.entries(codes)) {
      fail('proof', { kind: 'body', body: JSON.stringify({ index: Number(index), entry }) })
      expect(await failureOf(verify())).toMatchObject({ name: 'LogError', code })
    }
    for (const index of [-1, 1.5, '2', null, 2 ** 53]) {
      fail('proof', { kind: 'body', body: JSON.stringify({ index, entry }) })
      expect(await failureOf(verify())).toMatchObject({ name: 'MalformedAnswerError' })
    }
  })

  test('error: a checkpoint of the largest size', async () => {
    const log = await serve({ index: 0, size: 1 })
    const size = Number.MAX_SAFE_INTEGER
    fail('checkpoint', { kind: 'body', body: log.signCheckpoint({ size, root: new Uint8Array(32) }) })
    expect(await failureOf(verify())).toMatchObject({ code: 'log_incomplete' })
    expect(server.requests.length).toBeLessThan(40)
  })

  test('error: another key, another origin and a missing signature', async () => {
    const log = await serve({ index: 0, size: 1 })
    const key = createPublicLog().key
    const error = await failureOf(verifyLogged(notes, { log: server.url, key }))
    expect(error).toMatchObject({ code: 'log_invalid' })
    expect(error.message).toContain('Check that key is the key of this log.')
    const otherOrigin = createPublicLog({ origin: 'other.example/log' }).key
    expect(await failureOf(verifyLogged(notes, { log: server.url, key: otherOrigin }))).toMatchObject({
      code: 'log_invalid',
    })
    fail('checkpoint', { kind: 'body', body: log.checkpoint.split('\n\n')[0] as string })
    expect(await failureOf(verify())).toMatchObject({ code: 'log_invalid' })
  })

  test.each(['checkpoint', 'proof', 'tile'])('error: an endless %s is cut at its limit', async (start) => {
    await serve({ index: 0, size: 2 })
    fail(start, { kind: 'endless' })
    const error = await failureOf(verify())
    expect(error).toMatchObject({ name: 'MalformedAnswerError', retryable: false })
    expect(error.message).toContain('exceeds')
  })

  test('error: a tile of another size, and a proof that is no JSON', async () => {
    await serve({ index: 0, size: 2 })
    for (const body of ['', 'a'.repeat(63), 'a'.repeat(65)]) {
      fail('tile', { kind: 'body', body })
      expect(await failureOf(verify())).toMatchObject({ code: 'log_invalid' })
    }
    fail('proof', { kind: 'body', body: '<html>' })
    expect(await failureOf(verifyLoggedIn(quick(), options()))).toMatchObject({ code: 'malformed_answer' })
  })

  test.each(['checkpoint', 'proof', 'tile'])('error: a broken %s is retried and then reported', async (start) => {
    await serve({ index: 0, size: 2 })
    for (const [fault, name] of [
      [{ kind: 'status', status: 500 }, 'ServiceError'],
      [{ kind: 'cut' }, 'ConnectionError'],
    ] as const) {
      server.requests.length = 0
      fail(start, fault)
      const error = await failureOf(verifyLoggedIn(quick(), options()))
      expect(error).toMatchObject({ name, retryable: true })
      expect(server.requests.filter((path) => path.startsWith(start))).toHaveLength(3)
    }
  })

  test('error: a response that stalls ends with the timeout of a request, and then with that of the call', async () => {
    await serve({ index: 0, size: 2 })
    fail('tile', { kind: 'stall' })
    const world = quick()
    const failed = failureOf(verifyLoggedIn(world, { ...options(), timeoutSeconds: 31 }))
    for (let tries = 1; tries <= 3; tries++) {
      await expect.poll(() => server.requests.filter((path) => path.startsWith('tile')).length).toBe(tries)
      world.expire(15_000)
    }
    expect(await failed).toMatchObject({ name: 'TimeoutError', retryable: true })
    const again = failureOf(verifyLoggedIn(world, { ...options(), timeoutSeconds: 31 }))
    await expect.poll(() => server.requests.filter((path) => path.startsWith('tile')).length).toBe(4)
    world.expire(31_000)
    expect((await again).message).toContain('within 31 seconds')
  })

  test('behavior: an abort throws the reason of the signal', async () => {
    await serve({ index: 0, size: 2 })
    fail('checkpoint', { kind: 'stall' })
    const controller = new AbortController()
    const work = verifyLogged(notes, { log: server.url, key: server.log.key, signal: controller.signal })
    await expect.poll(() => server.requests).toContain('checkpoint')
    controller.abort('enough')
    await expect(work).rejects.toBe('enough')
    await expect(verifyLogged(notes, { log: server.url, key: server.log.key, signal: controller.signal })).rejects.toBe(
      'enough',
    )
  })
})

describe('invalid arguments', () => {
  test.each([
    ['no notes', { notes: [] }],
    ['a cut key', { key: 'notes.example/log+12345678' }],
    ['no key', { key: '' }],
    ['no URL', { log: 'notes.example/log' }],
    ['a URL with a query', { log: 'https://notes.example/log?a=b' }],
    ['a URL with credentials', { log: 'https://a:b@notes.example/log' }],
  ])('error: %s', async (_, change) => {
    await serve({ index: 0, size: 1 })
    expect(await failureOf(verifyLoggedIn(quick(), { ...options(), ...change }))).toMatchObject({
      name: 'InvalidRequestError',
      code: 'invalid_request',
      retryable: false,
    })
    expect(server.requests).toEqual([])
  })

  test('error: notes of more than 32 chains and periods', async () => {
    await serve({ index: 0, size: 1 })
    const many = Array.from({ length: 33 }, (_, chain) => ({ ...(notes[0] as Note), chainId: chain + 1 }))
    expect((await failureOf(verify(many))).message).toContain('not of 33')
    expect(await failureOf(verify(many.slice(1)))).toMatchObject({ name: 'NotLoggedError' })
  })
})

const options = () => ({ notes, log: server.url, key: server.log.key })

function sizeOf(checkpoint: string | undefined): number {
  return Number(checkpoint?.split('\n')[1])
}

/** Environment in which pauses take no time, and timeouts happen when a test says so. */
function quick(): Environment & { expire(delayMs: number): void } {
  const timeouts = new Map<object, { readonly run: () => void; readonly delayMs: number }>()
  return {
    fetch: (url, init) => fetch(url, init),
    clock: {
      read: () => ({ wall: morning, monotonic: 0 }),
      setTimeout: (run, delayMs) => {
        const timer = {}
        if (delayMs < 10_000) setImmediate(run)
        else timeouts.set(timer, { run, delayMs })
        return timer
      },
      clearTimeout: (timer) => void timeouts.delete(timer as object),
    },
    random: () => 0,
    onWake: () => () => {},
    expire: (delayMs) => {
      for (const [timer, timeout] of timeouts) {
        if (timeout.delayMs !== delayMs) continue
        timeouts.delete(timer)
        timeout.run()
      }
    },
  }
}
