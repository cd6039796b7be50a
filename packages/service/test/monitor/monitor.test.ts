import { periodAfter } from '@tallystick/core'
import { addCurve, chainOf, createState, decodeEdge, encodeEdge, monitorStateSchema } from '@tallystick/monitor'
import { createMerkleTree, tileAt } from '@tallystick/tlog'
import { createPublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { describe, expect, test } from 'vitest'
import { curveEntry, firstPeriod, notesEntry, periodsFrom, pool, startMonitoredLog } from '../monitored-log.ts'

const next = periodAfter(firstPeriod)
const minuteMs = 60_000

/** Entries of which only the schema matters: proposals of curves for one boundary. */
function fillers(count: number): object[] {
  return Array.from({ length: count }, (_, at) => curveEntry({ points: { 7: String(at + 1) } }))
}

describe('an honest log', () => {
  test('default: is silent, and each period gets a line', async () => {
    const { monitor, publish, log } = await startMonitoredLog()
    const watch = monitor()
    publish(await notesEntry())
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    publish(await notesEntry({ period: next }))
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.events.map(({ event }) => event)).toEqual(['start', 'period', 'period'])
    expect(watch.state).toMatchObject({ checked: 4, checkpoint: { size: 4, note: log.checkpoint }, growth: [] })
  })

  test.each([0, 1, 255, 256, 257, 513])('behavior: of %i further entries', async (count) => {
    const { monitor, publish } = await startMonitoredLog()
    publish(...fillers(count))
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual([])
    publish(...fillers(300))
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state.checked).toBe(count + 302)
  })

  test('behavior: an empty log, then its first entries', async () => {
    const { monitor, server, log } = await startMonitoredLog()
    const empty = log.fork(0)
    server.log = empty
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual([])
    server.log = log
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state.checked).toBe(2)
  })

  test('behavior: a restart continues where the state ends, and reads nothing twice', async () => {
    const { monitor, publish, server } = await startMonitoredLog()
    publish(...fillers(600))
    const first = monitor()
    await first.check()
    const state = monitorStateSchema.parse(JSON.parse(JSON.stringify(first.state)))
    publish(...fillers(2))
    server.requests.length = 0
    const second = monitor({ state })
    expect(await second.checkKinds()).toEqual([])
    expect(second.state.checked).toBe(604)
    const bundles = server.requests.filter((path) => path.startsWith('tile/entries/'))
    // The second is the tile that is read again from time to time.
    expect(bundles).toEqual(['tile/entries/002.p/92', 'tile/entries/001'])
  })

  test('behavior: a copy that keeps no partial tiles of full ones', async () => {
    const { monitor, publish, server, log } = await startMonitoredLog()
    publish(...fillers(300))
    const watch = monitor()
    // The log grows after the checkpoint was read.
    const { checkpoint } = log
    server.faultOf = (path) => {
      if (path === 'checkpoint') return { kind: 'body', body: checkpoint }
      return /tile\/0\/001\.p/.test(path) ? { kind: 'status', status: 404 } : undefined
    }
    publish(...fillers(300))
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state.checkpoint?.size).toBe(302)
  })
})

describe('error: checkpoints', () => {
  test('a fork is proven by both checkpoints, and the state keeps the first history', async () => {
    const { monitor, publish, server, log } = await startMonitoredLog()
    publish(await notesEntry())
    const watch = monitor()
    await watch.check()
    const before = structuredClone(watch.state.checkpoint)
    for (const count of [1, 2, 300]) {
      const fork = log.fork(2)
      for (const entry of fillers(count)) fork.append(JSON.stringify(entry))
      fork.publish()
      server.log = fork
      await watch.check()
      expect(watch.findings().at(-1)).toMatchObject({
        kind: 'log_forked',
        evidence: { before: log.checkpoint, now: fork.checkpoint },
      })
    }
    expect(watch.kinds()).toEqual(['log_forked', 'log_forked', 'log_forked'])
    expect(watch.state.checkpoint).toEqual(before)
    await watch.check()
    expect(watch.findings()).toHaveLength(3)
  })

  test('a smaller fork is a fork, not an old checkpoint', async () => {
    const { monitor, publish, server, log } = await startMonitoredLog()
    publish(...fillers(300))
    const watch = monitor()
    await watch.check()
    const fork = log.fork(100)
    for (const entry of fillers(3)) fork.append(JSON.stringify({ ...entry, setBy: 'another' }))
    fork.publish()
    server.faultOf = (path) => (path === 'checkpoint' ? { kind: 'body', body: fork.checkpoint } : undefined)
    expect(await watch.checkKinds()).toEqual(['log_forked'])
  })

  test('one that goes back is a warning for 5 minutes, then a finding', async () => {
    const { monitor, publish, log, clock } = await startMonitoredLog()
    publish(...fillers(300))
    const watch = monitor()
    await watch.check()
    log.publish(290)
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1, isLogRead: false })
    clock.nowMs += 5 * minuteMs - 1
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    clock.nowMs += 1
    expect(await watch.checkKinds()).toEqual(['checkpoint_went_back'])
    log.publish()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0 })
  })

  test.each([
    ['of another log', () => createPublicLog({ origin: 'other.example/log' }).checkpoint],
    ['of another key', () => createPublicLog().checkpoint],
    ['that is none', () => '<html>'],
  ])('one %s', async (_, read) => {
    const { monitor, server } = await startMonitoredLog()
    const body = read()
    server.faultOf = (path) => (path === 'checkpoint' ? { kind: 'body', body } : undefined)
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual(['checkpoint_invalid'])
    expect(watch.findings()[0]?.message).toContain('Check that --key is the key of this log.')
  })

  test('a flipped bit anywhere in it', async () => {
    const { monitor, server, log } = await startMonitoredLog()
    for (let byte = 0; byte < Buffer.byteLength(log.checkpoint); byte += 7) {
      server.faultOf = () => ({ kind: 'flip', byte, bit: byte % 8 })
      expect(await monitor().checkKinds()).toEqual(['checkpoint_invalid'])
    }
  })
})

describe('error: tiles and bundles', () => {
  test.each([
    ['tile/0/001.p/46', 'tile_wrong'],
    ['tile/1/000.p/1', 'tile_wrong'],
    ['tile/0/000', 'tile_wrong'],
    ['tile/entries/000', 'bundle_wrong'],
    ['tile/entries/001.p/46', 'bundle_wrong'],
  ])('a flipped bit of %s', async (path, kind) => {
    const { monitor, publish, server } = await startMonitoredLog()
    publish(...fillers(300))
    for (const byte of [0, 1471]) {
      server.faultOf = (asked) => (asked === path ? { kind: 'flip', byte } : undefined)
      const watch = monitor()
      expect([byte, await watch.checkKinds()]).toEqual([byte, [kind]])
      // What was not checked is read again, and passes when it is right.
      server.faultOf = () => undefined
      expect(await watch.check()).toMatchObject({ findings: 0, isLogRead: true })
      expect(watch.state.checked).toBe(302)
    }
  })

  test('a bundle with fewer entries', async () => {
    const { monitor, server, log } = await startMonitoredLog()
    const [first] = log.entries
    const body = Buffer.concat([Buffer.from([(first?.length ?? 0) >> 8, (first?.length ?? 0) & 255]), first as Buffer])
    server.faultOf = (path) => (path === 'tile/entries/000.p/2' ? { kind: 'body', body } : undefined)
    expect(await monitor().checkKinds()).toEqual(['bundle_wrong'])
  })

  test('a missing tile is a warning for 10 minutes, then a finding', async () => {
    const { monitor, server, clock } = await startMonitoredLog()
    server.faultOf = (path) => (path.startsWith('tile/0/') ? { kind: 'status', status: 404 } : undefined)
    const watch = monitor()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    clock.nowMs += 10 * minuteMs - 1
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    clock.nowMs += 1
    expect(await watch.checkKinds()).toEqual(['tile_missing'])
    server.faultOf = () => undefined
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.state.missing).toEqual({})
  })

  test('an old tile or bundle that changed or is gone since it was read', async () => {
    const { monitor, publish, server, clock } = await startMonitoredLog()
    publish(...fillers(600))
    const watch = monitor()
    await watch.check()
    clock.stepMs = -60 * minuteMs
    const countFindings = async () => {
      let count = 0
      for (const _ of ['tile 0', 'tile 1']) {
        clock.nowMs += 10 * minuteMs
        const { findings, isLogRead } = await watch.check()
        expect(isLogRead).toBe(true)
        count += findings
      }
      return count
    }
    for (const [path, fault] of [
      ['tile/entries/001', { kind: 'flip', byte: 9 }],
      ['tile/0/001', { kind: 'flip', byte: 9 }],
      ['tile/entries/000', { kind: 'status', status: 404 }],
      ['tile/0/000', { kind: 'status', status: 403 }],
    ] as const) {
      server.faultOf = (asked) => (asked === path ? fault : undefined)
      expect([path, await countFindings()]).toEqual([path, 1])
    }
    server.faultOf = () => undefined
    expect(await countFindings()).toBe(0)
    expect(new Set(watch.kinds())).toEqual(new Set(['bundle_wrong', 'tile_wrong', 'tile_missing']))
  })
})

describe('a log that does not respond', () => {
  test.each([
    ['responds with 500', { kind: 'status', status: 500 }, 'The log responded with status 500.'],
    ['redirects', { kind: 'status', status: 302 }, 'The log responded with a redirect (302). Give its new URL.'],
    ['sends without end', { kind: 'endless' }, 'The log sent more than 16384 bytes.'],
    ['breaks off', { kind: 'cut' }, expect.stringMatching(/^The log cannot be reached/)],
  ] as const)('error: one that %s is a warning, and recovers', async (_, fault, message) => {
    const { monitor, server } = await startMonitoredLog()
    server.faultOf = () => fault
    const watch = monitor()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1, isLogRead: false })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1, isLogRead: false })
    expect(watch.warnings()).toEqual([message])
    server.faultOf = () => undefined
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.events.at(-1)).toEqual({ event: 'recovered', message: 'Recovered: the log.' })
  })

  test('error: a URL without a log', async () => {
    const { monitor, server } = await startMonitoredLog()
    server.faultOf = () => ({ kind: 'status', status: 404 })
    const watch = monitor()
    await watch.check()
    expect(watch.warnings()).toEqual(['There is no log at this URL: it has no checkpoint (internal_error).'])
  })

  test('behavior: the service’s Retry-After is honoured, and the delays of failures double', async () => {
    const { monitor, server, publish } = await startMonitoredLog()
    publish(...fillers(1))
    const delays: number[] = []
    let count = 0
    server.faultOf = () => (count++ < 3 ? { kind: 'status', status: 503 } : undefined)
    const watch = monitor({ pause: async (ms) => void delays.push(ms) })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(delays).toEqual([250, 500, 1_000])
  })

  test('behavior: rounds come less often while the log fails', async () => {
    const { monitor, server } = await startMonitoredLog()
    server.faultOf = () => ({ kind: 'status', status: 302 })
    const delays: number[] = []
    const watch = monitor({
      pause: async (ms) => {
        delays.push(ms)
        if (delays.length === 16) server.faultOf = () => undefined
        if (delays.length === 18) watch.stop()
      },
    })
    await watch.run(15_000)
    expect(delays.filter((ms) => ms >= 15_000)).toEqual([15_000, 30_000, 60_000, 60_000, 15_000, 15_000])
  })
})

describe('withheld entries', () => {
  test('behavior: one is read when it is public, and the readable ones in front of it at once', async () => {
    const { monitor, log, clock } = await startMonitoredLog()
    log.append(JSON.stringify(await notesEntry()))
    log.append(JSON.stringify(await notesEntry({ period: next })), { isWithheld: true })
    log.publish()
    const watch = monitor()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.state.checked).toBe(3)
    clock.nowMs = Number(next.start) * 1000
    log.reveal()
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state).toMatchObject({ checked: 4, growth: [] })
  })

  test('behavior: it is searched for in few requests, once per minute', async () => {
    const { monitor, log, server, clock, publish } = await startMonitoredLog()
    publish(...fillers(100))
    for (const entry of fillers(100)) log.append(JSON.stringify(entry), { isWithheld: true })
    log.publish()
    const watch = monitor()
    await watch.check()
    expect(watch.state.checked).toBe(102)
    const countOf = async () => {
      server.requests.length = 0
      await watch.check()
      return server.requests.filter((path) => path.startsWith('tile/entries')).length
    }
    expect([await countOf(), await countOf()]).toEqual([7, 1])
    clock.stepMs = -60 * minuteMs
    clock.nowMs += minuteMs
    expect(await countOf()).toBe(7)
  })

  test('behavior: on a copy in files, the widest bundle that it has is read', async () => {
    const { monitor, log, server, publish } = await startMonitoredLog()
    publish(...fillers(7))
    log.append(JSON.stringify(await notesEntry({ curve: 8, coupons: { 7: '7' } })), { isWithheld: true })
    log.publish()
    server.faultOf = (path) => {
      const isThere = !path.startsWith('tile/entries') || path.endsWith('.p/6')
      return isThere && !path.startsWith('proof') ? undefined : { kind: 'status', status: 404, code: 'none' }
    }
    const watch = monitor()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.state.checked).toBe(6)
    log.reveal()
    server.faultOf = () => undefined
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state.checked).toBe(10)
  })

  test('behavior: a chain that the service no longer supports', async () => {
    const { monitor, log, server, publish } = await startMonitoredLog()
    publish(await notesEntry())
    log.append(JSON.stringify(await notesEntry({ period: next })), { isWithheld: true })
    log.publish()
    server.faultOf = (path) =>
      path.startsWith('proof') ? { kind: 'status', status: 400, code: 'invalid_chainid' } : undefined
    const watch = monitor()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
  })

  test('error: an entry that becomes public as another than the tree committed to', async () => {
    const { monitor, log, server } = await startMonitoredLog()
    log.append(JSON.stringify(await notesEntry()), { isWithheld: true })
    log.publish()
    const watch = monitor()
    await watch.check()
    const fork = log.fork(2)
    fork.append(JSON.stringify(await notesEntry({ coupons: { 7: '370' } })))
    fork.publish()
    const body = (path: string) => fork.read(path)
    server.faultOf = (path) => {
      const resource = path.startsWith('tile/entries') ? body(path) : undefined
      return resource?.status === 200 ? { kind: 'body', body: resource.body } : undefined
    }
    expect(await watch.checkKinds()).toEqual(['bundle_wrong'])
  })

  test('error: an entry that is unread for more than 26 hours, over a restart', async () => {
    const { monitor, log, clock } = await startMonitoredLog()
    log.append(JSON.stringify(await notesEntry()), { isWithheld: true })
    log.publish()
    const first = monitor()
    await first.check()
    clock.nowMs += 26 * 60 * minuteMs
    log.append(JSON.stringify(await notesEntry({ period: next })), { isWithheld: true })
    log.publish()
    const second = monitor({ state: first.state })
    expect(await second.checkKinds()).toEqual([])
    clock.nowMs += 1
    expect(await second.checkKinds()).toEqual(['entry_withheld'])
    expect(second.findings()[0]?.evidence).toMatchObject({ index: 2 })
  })

  test('error: a bundle in the middle of a long log that is not public', async () => {
    const { monitor, publish, server } = await startMonitoredLog()
    publish(...fillers(1_400))
    server.faultOf = (path) => (path === 'tile/entries/000' ? { kind: 'status', status: 404 } : undefined)
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual(['entry_withheld'])
  })

  test('behavior: the current set behind a withheld curve is read by its proof, and verified', async () => {
    const { monitor, log, server } = await startMonitoredLog()
    log.append(JSON.stringify(curveEntry({ effectiveFrom: String(next.start) })), { isWithheld: true })
    log.append(JSON.stringify(await notesEntry()))
    log.publish()
    // A first entry that is known makes the chain known.
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state.checked).toBe(2)
    expect([...watch.context.early.values()]).toEqual([expect.objectContaining({ index: 3 })])
    const proofs = server.requests.filter((path) => path.startsWith('proof'))
    await watch.check()
    expect(server.requests.filter((path) => path.startsWith('proof'))).toEqual(proofs)
    log.reveal()
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.state.checked).toBe(4)
  })

  test.each([
    ['another entry', (entry: string) => ({ index: 3, entry: entry.replace('"issuedAt":"1', '"issuedAt":"2') })],
    ['another index', (entry: string) => ({ index: 1, entry })],
    ['no entry', () => ({ index: 3 })],
  ])('error: a proof with %s', async (_, change) => {
    const { monitor, log, server } = await startMonitoredLog()
    const line = JSON.stringify(await notesEntry())
    log.append(JSON.stringify(curveEntry({ effectiveFrom: String(next.start) })), { isWithheld: true })
    log.append(line)
    log.publish()
    server.faultOf = (path) =>
      path.startsWith('proof') ? { kind: 'body', body: JSON.stringify(change(line)) } : undefined
    expect(await monitor().checkKinds()).toEqual(['bundle_wrong'])
  })

  test('error: a set behind a withheld entry with a wrong signature', async () => {
    const { monitor, log } = await startMonitoredLog()
    const set = await notesEntry()
    const notes = set.notes.map((note) => ({ ...note, signature: (set.notes[0] as typeof note).signature }))
    log.append(JSON.stringify(curveEntry({ effectiveFrom: String(next.start) })), { isWithheld: true })
    log.append(JSON.stringify({ ...set, notes }))
    log.publish()
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual(['wrong_signature'])
    log.reveal()
    // It is the same finding when the entry is read in its place.
    expect(await watch.checkKinds()).toEqual(['wrong_signature'])
  })
})

describe('entries', () => {
  test('error: the monitor stops at an entry of a newer version, and follows the tree', async () => {
    const { monitor, publish } = await startMonitoredLog()
    publish({ ...(await notesEntry()), v: 2 }, await notesEntry({ coupons: { 7: '1' } }))
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual(['entry_unknown'])
    expect(watch.state).toMatchObject({ checked: 2, checkpoint: { size: 4 } })
    publish(...fillers(1))
    expect(await watch.checkKinds()).toEqual(['entry_unknown'])
    expect(watch.state).toMatchObject({ checked: 2, checkpoint: { size: 5 } })
  })

  test('error: a finding of an entry does not hide those after it', async () => {
    const { monitor, publish, log } = await startMonitoredLog()
    log.append(new Uint8Array([0xff, 0xfe]))
    publish(await notesEntry(), await notesEntry({ coupons: { 7: '1' } }), await notesEntry({ period: next, curve: 7 }))
    const watch = monitor()
    expect(await watch.checkKinds()).toEqual(['entry_malformed', 'second_set', 'wrong_coupon', 'wrong_curve'])
    expect(watch.state.findings.counts).toEqual({ entry_malformed: 1, second_set: 1, wrong_coupon: 1, wrong_curve: 1 })
  })

  test('behavior: known findings are repeated in single runs only', async () => {
    const { monitor, publish, log } = await startMonitoredLog()
    publish(await notesEntry({ coupons: { 7: '1' } }))
    const first = monitor()
    await first.check()
    const { findings } = first.state
    const read = (repeatsFindings: boolean) => {
      const state = { ...createState(log.key), findings: structuredClone(findings) }
      return monitor({ state, repeatsFindings })
    }
    expect(await read(false).checkKinds()).toEqual([])
    const once = read(true)
    expect(await once.checkKinds()).toEqual(['wrong_coupon'])
    expect(once.state.findings.counts).toEqual({ wrong_coupon: 1 })
  })
})

test('behavior: the state of ten years of one chain has less than 24 kB', () => {
  const size = 10_239
  const tree = createMerkleTree()
  while (tree.size < size) tree.append(new Uint8Array(32).fill(tree.size % 256))
  const edge = [39, 0].map((index, level) => tree.readTile(tileAt({ level, index }, size)))
  const state = createState('notes.example/log+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
  state.edge = encodeEdge(edge)
  expect(decodeEdge(size, state.edge)?.map(({ length }) => length / 32)).toEqual([255, 39])
  state.checkpoint = { size, root: 'A'.repeat(44), note: 'n'.repeat(300), seenAt: 1793332800000 }
  const tenors = { 7: '369', 14: '365', 30: '362', 60: '358', 90: '355', 180: '350', 360: '340' }
  const curves = periodsFrom(firstPeriod, 28).map((period, index) =>
    addCurve([], index, curveEntry({ effectiveFrom: String(period.start), points: tenors })),
  )
  state.curves = curves.flat()
  const coupons = Object.fromEntries(Object.values(tenors).map((coupon, at) => [String(1793332800 + at), coupon]))
  const chain = chainOf(state, '324')
  chain.seen = Array.from({ length: 40 }, (_, gap) => [gap * 200, gap * 200 + 180])
  const digest = 'd'.repeat(32)
  for (const { start } of periodsFrom(firstPeriod, 28)) chain.firstSets[String(start)] = { index: size, digest }
  for (const { start } of periodsFrom(firstPeriod, 5)) chain.sets[String(start)] = [{ index: size, pool, coupons }]
  expect(JSON.stringify(monitorStateSchema.parse(state)).length).toBeLessThan(24_000)
})
