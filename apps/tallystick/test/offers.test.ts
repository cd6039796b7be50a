// @module-tag server

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeNote, verifyNote } from '@tallystick/core'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startFakeRpc } from '../../../packages/service/test/fake-rpc.ts'
import { type FakeSigner, startFakeSigner } from '../../../packages/service/test/fake-web3signer.ts'
import {
  chain324,
  createDeferrals,
  createKey,
  type Defer,
  newDatabase,
  notesOf,
  signerAddress,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { formatCurveReport, formatDifference } from '../src/commands/curve/format-curve.ts'
import { chooseLayout } from '../src/commands/terminal/layout.ts'
import { failuresOf, linesOf, visit } from './doctor-site.ts'

const plain = chooseLayout({} as NodeJS.WriteStream, { env: {}, color: false })
const otherPool = '0x0000000000000000000000000000000000000abc'
const otherKey = `0x${'02'.repeat(32)}` as const
const otherSigner = privateKeyToAccount(otherKey).address
const noon = '2026-11-15T12:00:00-05:00'
const all = { 7: 369, 14: 365, 30: 362, 60: 358 }

/** Writes a key to a file and returns the configuration of its signer. */
async function signerOf(key: string, defer: Defer) {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-signer-'))
  defer(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'key'), key, { mode: 0o600 })
  return { kind: 'private-key', key: `file:${join(directory, 'key')}` }
}

async function periods(service: TestService, chainId: number) {
  const chain = (await service.operator.showNotes()).chains.find((one) => one.chainId === chainId)
  if (!chain) throw new Error(`there is no chain ${chainId}`)
  return chain
}

const tenorsNow = async (service: TestService, chainId: number) =>
  (await periods(service, chainId)).current.notes.map(({ tenorDays }) => tenorDays)

describe('two chains with their own tenors and signers', () => {
  let service: TestService
  let signer: FakeSigner
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    signer = await startFakeSigner(defer)
    const own = { tenors: [60, 7], signer: await signerOf(otherKey, defer), maxCouponBps: 400 }
    const chains = [chain324, { id: 5000, name: 'Other', pool: otherPool, ...own }]
    const config = { signer: signer.config, chains }
    service = await start({ databaseUrl: await newDatabase('postgres', defer), at: noon, curve: all, config }, defer)
    return finish
  })

  test('default: each chain offers its tenors, signed by its signer', async () => {
    const { secret } = await createKey(service)
    const { data, availableMaturities } = notesOf(await service.call('/notes', { headers: { 'x-api-key': secret } }))
    expect(data.map(({ chainid, coupon }) => [chainid, coupon])).toEqual([
      ['324', '369'],
      ['324', '365'],
      ['324', '362'],
      ['5000', '369'],
      ['5000', '358'],
    ])
    expect(availableMaturities).toEqual([7, 14, 30, 60])
    const domain = { name: 'NoteSignatureVerifier', version: '1' }
    for (const wire of data) {
      const [verifyingContract, by] = wire.chainid === '324' ? [chain324.pool, signerAddress] : [otherPool, otherSigner]
      const wanted = { domain: { ...domain, verifyingContract }, signer: by } as Parameters<typeof verifyNote>[1]
      expect(await verifyNote(decodeNote(wire), wanted)).toEqual({ valid: true, signer: by })
    }
    expect(service.log()).toContain(`signing as ${signerAddress} (web3signer) on chain 324\n`)
    expect(service.log()).toContain(`signing as ${otherSigner} (private-key) on chain 5000\n`)
    expect(service.log()).not.toContain('earlier signer')
    const portal = (await service.call('/portal.json')).json()
    expect(portal.chains.map((chain: { signer: string }) => chain.signer)).toEqual([signerAddress, otherSigner])
  })

  test.each([
    [
      null,
      { 7: 369, 14: 365, 30: 362 },
      'invalid_curve',
      '60 days has no coupon. Configured tenors: 7, 14, 30, 60. Only the curve of one chain (--chain <id>) may have fewer.',
    ],
    [
      5000,
      { 7: 369, 14: 365 },
      'invalid_curve',
      '14 days is not a configured tenor. Configured tenors of chain 5000: 7, 60.',
    ],
    [5000, { 14: 365 }, 'invalid_curve', 'The curve was not stored: 14 days is not a configured tenor. Configured'],
    [5000, {}, 'invalid_curve', '7 days has no coupon; 60 days has no coupon'],
    [5000, { 7: 0 }, 'invalid_curve', 'the 7-day coupon is 0,'],
    [1, { 7: 369 }, 'invalid_curve', 'Chain 1 is not configured.'],
    [5000, { 60: 401 }, 'rail_refused', 'The curve was not stored: the 60-day coupon is 401 bps, outside 1 to 400'],
    [
      null,
      { ...all, 60: 401 },
      'rail_refused',
      'The curve was not stored for any chain, because chain 5000 refuses it: the 60-day coupon is 401 bps, outside 1 to 400 (maxCouponBps of chain 5000). To give chain 5000 other coupons, set the curve of each chain with --chain <id>.',
    ],
    [
      null,
      { ...all, 14: 500 },
      'rail_refused',
      'because chain 324 refuses it: the 14-day coupon moves from 365 to 500 bps (+135). The limit is 100 (rails.maxMoveBps). If this is intended, confirm it with `tallystick curve set 7=369 14=500 30=362 60=358 --confirm`.',
    ],
    [324, { 14: 500 }, 'rail_refused', 'confirm it with `tallystick curve set 14=500 --chain 324 --confirm`.'],
  ])('error: chain %s refuses %j and nothing changes', async (chainId, points, code, message) => {
    await expect(service.operator.setCurve({ points, chainId })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
    expect(await service.database.query('select count(*)::int as n from curves')).toEqual([{ n: 1 }])
  })

  test('behavior: a curve of one chain may leave out tenors, until a curve for all chains', async () => {
    const before = await service.operator.showCurve()
    expect(formatDifference(before, { points: { 60: 350 }, chainId: 5000 }, plain)).toMatch(
      /^Chain 5000, .*\n.*\n {2}7 days +369 bps +- +-\n {2}60 days +358 bps +350 bps +-8$/,
    )
    await service.operator.setCurve({ points: { 60: 350 }, chainId: 5000 })
    const [, other] = (await service.operator.showCurve()).chains
    expect(other).toMatchObject({ chainId: 5000, tenors: [7, 60], next: { curve: { points: { 60: 350 } } } })
    const shown = formatCurveReport(await service.operator.showCurve(), plain)
    expect(shown).toContain('  next  2026-11-15, 18:00 to 24:00 New York: curve 2, without 7 days\n')
    service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
    await expect.poll(() => tenorsNow(service, 5000)).toEqual([60])
    await expect.poll(() => tenorsNow(service, 324)).toEqual([7, 14, 30])

    await service.operator.setCurve({ points: all })
    service.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await expect.poll(() => tenorsNow(service, 5000)).toEqual([7, 60])
  })

  test('behavior: a chain signs ahead while the signer of the other hangs', async () => {
    let release = (): void => undefined
    const hang = new Promise<never>((_, reject) => {
      release = () => reject(new Error('out'))
    })
    hang.catch(() => undefined)
    signer.behave(() => hang)
    service.clock.hold(Date.parse('2026-11-16T18:00:00-05:00'))
    await expect.poll(async () => (await periods(service, 5000)).current.signed).toBe(true)
    expect((await periods(service, 324)).current.signed).toBe(false)
    service.clock.hold(Date.parse('2026-11-16T23:50:00-05:00'))
    await expect.poll(async () => (await periods(service, 5000)).next.signed).toBe(true)
    expect((await periods(service, 324)).current.signed).toBe(false)

    // A request for one chain does not wait for the other either.
    const { secret } = await createKey(service)
    service.clock.hold(Date.parse('2026-11-17T18:00:00-05:00'))
    const answer = await service.call('/notes?chainid=5000', { headers: { 'x-api-key': secret } })
    expect(notesOf(answer).message).toContain('2026-11-17, 18:00 to 24:00')
    signer.behave(undefined)
    release()
    await expect.poll(async () => (await periods(service, 324)).current.signed).toBe(true)
  })
})

test('behavior: a chain signs ahead while the RPC of the other hangs', async () => {
  let hanging: Promise<void> | undefined
  let release = (): void => undefined
  let readNow = () => Date.parse(noon)
  const timestampSeconds = () => Math.floor(readNow() / 1000)
  const rpc = await startFakeRpc({ timestampSeconds, chainId: 5000, hang: () => hanging })
  const chains = [chain324, { id: 5000, name: 'Other', pool: otherPool, rpc: [rpc] }]
  const config = { chains, rails: { preflight: 'off' } }
  const service = await start({ databaseUrl: await newDatabase(), at: noon, config })
  readNow = () => service.clock.now()
  expect((await periods(service, 5000)).current.signed).toBe(true)
  hanging = new Promise((resolve) => {
    release = resolve
  })
  service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
  await expect.poll(async () => (await periods(service, 324)).current.signed).toBe(true)
  service.clock.hold(Date.parse('2026-11-15T23:50:00-05:00'))
  await expect.poll(async () => (await periods(service, 324)).next.signed).toBe(true)
  expect((await periods(service, 5000)).current.signed).toBe(false)
  release()
})

test('behavior: doctor checks each signer, and the start names the chain whose signer cannot be opened', async () => {
  const databaseUrl = await newDatabase()
  const chain = { id: 5000, name: 'Other', pool: otherPool }
  const withOther = async (key: string) => ({
    chains: [chain324, { ...chain, signer: await signerOf(key, onTestFinished as Defer) }],
  })
  const good = await visit({ databaseUrl, config: await withOther(otherKey) })
  const signing = linesOf(good, 'ok').filter((line) => /^signer /.test(line))
  expect(signing).toEqual([
    `signer 324: opens: private-key, address ${signerAddress}`,
    `signer 324: signs: its signature recovers to ${signerAddress}`,
    `signer 5000: opens: private-key, address ${otherSigner}`,
    `signer 5000: signs: its signature recovers to ${otherSigner}`,
  ])
  const bad = await withOther('0xdeadbeef')
  expect(failuresOf(await visit({ databaseUrl, config: bad })).filter((line) => /^signer /.test(line))).toEqual([
    expect.stringMatching(/^signer 5000: opens: The signer’s private key is invalid/),
  ])
  await expect(start({ databaseUrl, config: bad })).rejects.toMatchObject({
    code: 'invalid_config',
    message: expect.stringMatching(/^Signer of chain 5000: The signer’s private key is invalid/),
  })
})
