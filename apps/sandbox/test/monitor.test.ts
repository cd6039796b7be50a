// @module-tag slow

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeNote, type NoteTerms, periodAt } from '@tallystick/core'
import { decodeBundle } from '@tallystick/tlog'
import { createPublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { servePublicLog } from '@tallystick/workbench/public-log/serve-public-log'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  type Chain,
  chainId,
  dollars,
  noPartner,
  type Signature,
  send,
  signNote,
  startChain,
  startsAt,
} from './chain.ts'
import { startOnChain } from './service-on-chain.ts'

const cli = fileURLToPath(new URL('../../tallystick/bin/tallystick.js', import.meta.url))
const { end: boundary } = periodAt(startsAt)

let chain: Chain
let nowSeconds = startsAt + 600n
beforeAll(async () => {
  chain = await startChain()
  const from = chain.wallets[0]!.address
  const args = [chain.pool, dollars(1_000_000)]
  await send(chain, { from, to: chain.token, functionName: 'approve', args, at: nowSeconds })
})
afterAll(() => chain.stop())

/** Adds the header of a proxy in front of the service. */
async function startProxy(baseUrl: string): Promise<string> {
  const server = await startLocalServer(async ({ url }, response) => {
    const answer = await fetch(`${baseUrl}${url}`, { headers: { 'x-forwarded-proto': 'https' } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  onTestFinished(server.stop)
  return server.url
}

function launch(commandLine: readonly string[]) {
  const child = spawn(process.execPath, [...shortRunFlags, cli, 'monitor', ...commandLine], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  return { child, output: () => chunks.join('') }
}

async function moveTo(second: bigint, clock: { hold(instantMs: number): void }): Promise<void> {
  nowSeconds = second
  await chain.client.setNextBlockTimestamp({ timestamp: second })
  await chain.client.mine({ blocks: 1 })
  clock.hold(Number(second) * 1000)
}

/** Lends, in the next second of the chain. Returns the transaction. */
async function lend(note: NoteTerms, signature: Signature): Promise<string> {
  nowSeconds += 1n
  const from = chain.wallets[0]!.address
  const params = { beneficiary: from, partnerId: noPartner, partnerFeeBPS: 0n, principal: dollars(1_000) }
  const call = { from, to: chain.pool, functionName: 'lend', args: [params, note, signature], at: nowSeconds }
  return (await send(chain, call)).transactionHash
}

test('default: honest lends are silent over a boundary, and one on a note that was never logged is named', async () => {
  const log = { origin: 'notes.example/log', key: 'env:LOG_KEY' }
  const service = await startOnChain(chain, { preflight: 'off', atSeconds: nowSeconds, log })
  const url = await startProxy(service.baseUrl)
  const key = (await (await fetch(`${url}/log/key`)).text()).trim()
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-monitor-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const rpc = ['--rpc', `${chainId}=${chain.client.transport.url}`]
  const options = [url, '--key', key, '--state', join(directory, 'state.json'), ...rpc]
  const runOnce = async () => {
    const { child, output } = launch([...options, '--once'])
    const [exitCode] = await once(child, 'close')
    return [exitCode, output()]
  }
  const lendHonestly = async () => {
    const { body } = await service.get('/notes')
    const [note] = body.data.map(decodeNote)
    await lend(note, note.signature)
    return note as NoteTerms
  }
  const first = await lendHonestly()
  expect(await runOnce()).toEqual([0, expect.stringContaining('1 new lend on chain 324')])

  await moveTo(boundary - 60n, service.clock)
  await expect.poll(async () => (await service.showNotes()).next.signed).toBe(true)
  // The database's time is known to some milliseconds only, and nothing is public before both have reached it.
  await moveTo(boundary + 2n, service.clock)
  await expect.poll(async () => (await service.get('/notes')).status).toBe(200)
  const note = await lendHonestly()
  expect([note.validAfter, note.coupon]).toEqual([boundary - 1n, first.coupon])
  expect(await runOnce()).toEqual([0, expect.stringContaining('1 new lend on chain 324')])

  // As a service. The signer's key has leaked: the pool accepts the note.
  const { child, output } = launch([...options, '--interval', '1', '--json'])
  await expect.poll(output).toContain('"event":"start"')
  const forged = { ...note, coupon: 900n }
  const leaked = await lend(forged, await signNote(chain, forged))
  await lendHonestly()
  await expect.poll(output).toContain('"kind":"lend_not_logged"')
  const finding =
    output()
      .split('\n')
      .find((line) => line.includes('"finding"')) ?? ''
  expect(JSON.parse(finding)).toMatchObject({
    message: expect.stringContaining(`transaction ${leaked}`),
    evidence: { chainId, transactionHash: leaked, coupon: '900' },
  })
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output().match(/"finding"/g)).toHaveLength(1)
  const after = await runOnce()
  expect(after).toEqual([1, expect.stringContaining(leaked)])
  expect(after[1]).toContain('The state has 1 earlier findings.')
})

/** Signs a second version of a log, without its entry at an index. Returns its URL and key. */
async function signWithout(index: number, entries: readonly { readonly curve?: number }[]) {
  const log = createPublicLog()
  for (const entry of entries.toSpliced(index, 1)) {
    const curve = entry.curve !== undefined && entry.curve > index ? entry.curve - 1 : entry.curve
    log.append(JSON.stringify({ ...entry, curve }))
  }
  log.publish()
  const server = await servePublicLog(log)
  onTestFinished(() => server.close())
  return { url: server.url, key: log.key }
}

test('error: a chain’s first set that was removed from the log is missed by its lends', async () => {
  const atSeconds = periodAt(nowSeconds).end + 2n
  const { end } = periodAt(atSeconds)
  const other = { id: 8453, name: 'other', pool: chain.pool }
  const log = { origin: 'notes.example/log', key: 'env:LOG_KEY' }
  const service = await startOnChain(chain, { preflight: 'off', atSeconds, log, others: [other] })
  await moveTo(atSeconds, service.clock)
  await service.operator.setCurve({ points: { 7: 369 }, chainId: other.id, by: 'test' })
  const lendHonestly = async () => {
    const { body } = await service.get(`/notes?chainid=${chainId}`)
    const [note] = body.data.map(decodeNote)
    return lend(note, note.signature)
  }
  const hasNotes = (id: number) => expect.poll(async () => (await service.get(`/notes?chainid=${id}`)).status).toBe(200)
  await hasNotes(chainId)
  await hasNotes(other.id)
  const first = await lendHonestly()
  await moveTo(end - 60n, service.clock)
  await expect.poll(async () => (await service.showNotes()).next.signed).toBe(true)
  await moveTo(end + 2n, service.clock)
  await hasNotes(chainId)
  await hasNotes(other.id)
  await lendHonestly()

  const url = await startProxy(service.baseUrl)
  const key = (await (await fetch(`${url}/log/key`)).text()).trim()
  const [, size] = (await (await fetch(`${url}/log/checkpoint`)).text()).split('\n')
  const bundle = await fetch(`${url}/log/tile/entries/000.p/${size}`)
  const entries = decodeBundle(new Uint8Array(await bundle.arrayBuffer()))?.map((entry) =>
    JSON.parse(Buffer.from(entry).toString()),
  )
  const removed = entries?.findIndex(({ type, chainid }) => type === 'notes' && chainid === String(chainId)) ?? -1
  const resigned = await signWithout(removed, entries ?? [])
  const runOnce = async (logUrl: string, logKey: string) => {
    const rpc = ['--rpc', `${chainId}=${chain.client.transport.url}`]
    const { child, output } = launch([logUrl, '--key', logKey, '--once', ...rpc])
    const [exitCode] = await once(child, 'close')
    return [exitCode, output()]
  }
  expect(await runOnce(url, key)).toEqual([
    0,
    expect.stringMatching(
      /2 new lends on chain 324, \d+ from before the log that cannot be checked, lends on chain 8453 not checked/,
    ),
  ])
  expect(await runOnce(resigned.url, resigned.key)).toEqual([
    1,
    expect.stringMatching(`FINDING lend_not_logged: .*${first}.*its first set of chain 324 is for`),
  ])
})
