// @module-tag slow

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, permitLendCalldata, permitLendTypedData, simulateCall, verifyNote } from '@tallystick/client'
import { rateResponseSchema } from '@tallystick/core'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { sendRequest } from '@tallystick/workbench/send-request'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { trustSandbox } from '../../../examples/sandbox.ts'
import { type Credentials, readCredentials } from '../../../test/set-up/start-sandbox.ts'
import { getNotes, lendFrom, onChain, processesOf, readChain, readPoolEvents } from './devnet-client.ts'
import { postJson } from './post-json.ts'
import { type LocalSandbox, type Sandbox, useSandboxes } from './use-sandboxes.ts'

// One sandbox for all tests, which run in this order: a start takes long.

const ids = [324, 8453] as const
const lends = '{ positionInfos(orderBy: tokenId) { id principal currentOwner } }'
const weekSeconds = 7 * 86_400

const sandboxes = useSandboxes()
let dir: string
let sandbox: Sandbox | LocalSandbox
let credentials: Credentials

beforeAll(async () => {
  dir = await sandboxes.newDirectory()
  sandbox = await sandboxes.start('--dir', dir, '--chains', '2', '--positions', '8')
  credentials = readCredentials(dir)
})

async function startHere(...options: string[]): Promise<void> {
  sandbox = await sandboxes.startHere('--dir', dir, ...options)
  credentials = readCredentials(dir)
}

test('default: two chains, each with its own RPC, contracts, history and subgraph', async () => {
  expect(credentials.chains.map(({ id }) => id)).toEqual(ids)
  for (const { id, rpcUrl, subgraphUrl } of credentials.chains) {
    expect(sandbox.output()).toMatch(new RegExp(`^ {2}chain ${id} +${rpcUrl}`, 'm'))
    expect(subgraphUrl).toBe(`${credentials.baseUrl}/subgraphs/${id}`)
    expect(await readChain(onChain(credentials, id)).getChainId()).toBe(id)
  }
  expect(new Set(credentials.chains.map(({ rpcUrl }) => rpcUrl)).size).toBe(2)
  const config = JSON.parse(readFileSync(join(dir, 'tallystick.json'), 'utf8')) as { chains: object[] }
  expect(config.chains).toMatchObject([
    { id: 324, name: 'zkSync Era (sandbox)' },
    { id: 8453, name: 'Base (sandbox)' },
  ])
  const [first, second] = await Promise.all(ids.map(principalsOf))
  expect([first!.length, second!.length]).toEqual([8, 8])
  expect(first).not.toEqual(second)
})

test('behavior: /notes, /data and /rate have both chains', async () => {
  const { notes } = await getNotes(credentials)
  expect(ids.map((id) => notes.filter(({ chainId }) => chainId === id).length)).toEqual([7, 7])

  const { status, json } = await queryData({ query: lends, variables: { chains: [...ids] } })
  expect(status).toBe(200)
  expect(json.map(({ chain }: { chain: number }) => chain)).toEqual(ids)
  const [first, second] = json.map(({ data }: { data: { positionInfos: object[] } }) => data.positionInfos)
  expect([first.length, second.length]).toEqual([8, 8])
  expect(first).not.toEqual(second)

  const { chains } = rateResponseSchema.parse(JSON.parse(await get('/rate')))
  expect(chains.map(({ chainid, fixedRates }) => [chainid, fixedRates.length])).toEqual([
    ['324', 7],
    ['8453', 7],
  ])
})

test('behavior: the SDK lends on each chain with what the service says of it, and queries both by default', async () => {
  const { baseUrl, apiKey } = credentials
  const client = createClient({ baseUrl, apiKey, fetch: trustSandbox(credentials) })
  const account = privateKeyToAccount(credentials.wallets[0]!.privateKey)
  // Signer and limits are known after the first check of the pool.
  await expect
    .poll(() => client.chains())
    .toMatchObject(
      credentials.chains.map(({ id, pool, positions, token, signer, subgraphUrl }) => ({
        ...{ chainId: id, pool, signer, registeredSigner: signer, subgraphUrl, hasData: true },
        ...{ positionToken: { address: positions }, dollar: { address: token, decimals: 18 } },
      })),
    )
  const { notes } = await client.notes({ maturity: 7 })
  for (const { chainId, pool, signer, dollar, limits } of await client.chains()) {
    const note = notes.find((candidate) => candidate.chainId === chainId)
    if (!note || !dollar?.domain || limits.minLend === null) throw new Error(`Chain ${chainId} has unknown values.`)
    expect(await verifyNote(note, { pool, signer })).toMatchObject({ valid: true })
    const lend = { pool, note, beneficiary: account.address, principal: limits.minLend }
    const token = { ...dollar.domain, address: dollar.address }
    const permit = { chainId, token, owner: account.address, nonce: 0n, deadline: note.validBefore }
    const signature = await account.signTypedData(permitLendTypedData({ ...lend, ...permit }))
    const call = permitLendCalldata({ ...lend, permit: { signature, deadline: note.validBefore } })
    const simulation = { from: account.address, call, blockTag: 'pending' } as const
    expect(await simulateCall(readChain(onChain(credentials, chainId)), simulation)).toMatchObject({ ok: true })
  }
  expect(await client.positions(account.address)).toMatchObject(
    ids.map((chain) => ({ chain, positions: expect.any(Array) })),
  )
})

test('behavior: the pool of the second chain takes its notes, and not those of the first', async () => {
  const { notes } = await getNotes(credentials)
  const [ofFirst, ofSecond] = ids.map((id) => notes.find(({ chainId }) => chainId === id)!)
  const second = onChain(credentials, 8453)
  expect(await lendFrom(second, { wallet: 0, note: ofSecond! })).toMatchObject({ status: 'success' })
  await expect(lendFrom(second, { wallet: 0, note: ofFirst! })).rejects.toThrow('reverted')
  expect(await principalsOf(8453)).toHaveLength(9)
  await expect.poll(() => countInData(8453)).toBe(9)
  expect(await countInData(324)).toBe(8)
})

test('behavior: a second start resumes both chains, and says that another number of positions is ignored', async () => {
  const before = credentials
  expect(await sandbox.stop()).toBe(0)
  expect(processesOf(dir)).toEqual([])
  await startHere('--positions', '3')
  expect(sandbox.output()).not.toContain('new history')
  expect(sandbox.output().match(/--positions is ignored: this history was created with 8/g)).toHaveLength(1)
  const kept = ({ chains, apiKey }: Credentials) => [apiKey, chains.map(({ id, pool }) => ({ id, pool }))]
  expect(kept(credentials)).toEqual(kept(before))
  expect((await Promise.all(ids.map(principalsOf))).map(({ length }) => length)).toEqual([8, 9])
  expect(await Promise.all(ids.map(countInData))).toEqual([8, 9])
})

test('behavior: if one chain is damaged, both begin a new history', async () => {
  await sandbox.stop()
  expect(processesOf(dir)).toEqual([])
  const journal = join(dir, 'chains', '8453', 'journal.jsonl')
  writeFileSync(journal, readFileSync(journal).subarray(0, 5_000))
  await startHere('--positions', '2')
  expect(sandbox.output()).toContain('the state of its chain 8453 is damaged: creating a new history')
  expect((await Promise.all(ids.map(principalsOf))).map(({ length }) => length)).toEqual([2, 2])
  expect((await getNotes(credentials)).notes).toHaveLength(14)
})

test('behavior: time moved on one chain moves the service and the other chain', async () => {
  const { dateSeconds: before } = await getNotes(credentials)
  const { rpcUrl } = onChain(credentials, 8453).chains[0]
  await callNode(rpcUrl, [{ method: 'evm_increaseTime', params: [weekSeconds] }])
  await sandbox.saw(/^chain 8453: chain time moved to /m)
  const moved = before + BigInt(weekSeconds)
  for (const id of ids) await expect.poll(() => timeOf(id)).toBeGreaterThanOrEqual(moved)
  await expect.poll(async () => (await getNotes(credentials)).notes.length).toBe(14)
  const { dateSeconds, notes } = await getNotes(credentials)
  expect(dateSeconds).toBeGreaterThanOrEqual(moved)
  const times = await Promise.all(ids.map(timeOf))
  // Without transactions a chain has a block every 10 s.
  expect(Math.abs(Number(times[0]! - times[1]!))).toBeLessThanOrEqual(12)
  const note = notes.find(({ chainId }) => chainId === 324)!
  expect(await lendFrom(onChain(credentials, 324), { wallet: 1, note })).toMatchObject({ status: 'success' })
})

test('behavior: with another --chains the sandbox says so and begins a new history, with the same key and signer', async () => {
  const before = credentials
  await sandbox.stop()
  await startHere('--chains', '1', '--positions', '2')
  expect(sandbox.output()).toContain('it has 2 chains and --chains is 1: creating a new history')
  const kept = ({ apiKey, caCert, chains: [{ signer }] }: Credentials) => ({ apiKey, caCert, signer })
  expect(kept(credentials)).toEqual(kept(before))
  expect(credentials.chains.map(({ id }) => id)).toEqual([324])
  expect(await principalsOf(324)).toHaveLength(2)
  expect((await getNotes(credentials)).notes).toHaveLength(7)
})

test('behavior: the chain of an older version is replaced by a new history', async () => {
  await sandbox.stop()
  rmSync(join(dir, 'chains'), { recursive: true })
  mkdirSync(join(dir, 'chain'))
  writeFileSync(join(dir, 'chain', 'state.json'), '{}')
  await startHere('--positions', '1')
  expect(sandbox.output()).toContain('its chain was created by an older version: creating a new history')
  expect(await principalsOf(324)).toHaveLength(1)
  expect(existsSync(join(dir, 'chain'))).toBe(false)
  await sandbox.stop()
  expect(processesOf(dir)).toEqual([])
})

async function principalsOf(id: number): Promise<readonly bigint[]> {
  const events = await readPoolEvents(onChain(credentials, id))
  return events.flatMap((event) => (event.eventName === 'Lend' ? event.args.principal : []))
}

async function timeOf(id: number): Promise<bigint> {
  return (await readChain(onChain(credentials, id)).getBlock()).timestamp
}

async function countInData(id: number): Promise<number> {
  const { json } = await queryData({ query: lends, variables: { chains: [id] } })
  return json[0].data.positionInfos.length
}

function queryData(body: object) {
  const { baseUrl, apiKey, caCert } = credentials
  return postJson(`${baseUrl}/data`, { caCert, headers: { 'x-api-key': apiKey }, body })
}

async function get(path: string): Promise<string> {
  const { baseUrl, apiKey, caCert } = credentials
  const { body } = await sendRequest(`${baseUrl}${path}`, {
    headers: { 'x-api-key': apiKey },
    ca: readFileSync(caCert),
  })
  return body
}
