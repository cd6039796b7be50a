import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { positionTokenAbi } from '@tallystick/contracts'
import { positionQuery } from '@tallystick/core'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import { createTestClient, http } from 'viem'
import { expect, inject, onTestFinished } from 'vitest'
import { type Credentials, root } from '../../../test/set-up/start-sandbox.ts'
import { getNotes, lendFrom, readChain } from './devnet-client.ts'
import { postJson } from './post-json.ts'

type Position = Readonly<Record<string, string>>

/**
 * Expects the same answers from a new sandbox and from a second service whose subgraph is the sandbox's, before and after a
 * loan and a reorg that removes it.
 */
export async function expectData(credentials: Credentials): Promise<void> {
  const { caCert, baseUrl, apiKey } = credentials
  const [{ positions, rpcUrl }] = credentials.chains
  const remote = await serveRemote(credentials)
  const chain = readChain(credentials)
  const walletAddress = credentials.wallets[0]!.address
  const body = { query: positionQuery, variables: { walletAddress, chains: [324] } }
  const askEmbedded = (path: string) => postJson(baseUrl + path, { caCert, headers: { 'x-api-key': apiKey }, body })
  const askRemote = (path: string) =>
    postJson(remote.baseUrl + path, { headers: { 'x-api-key': remote.apiKey, 'x-forwarded-proto': 'https' }, body })

  // At the ready line every position is there as the chain has it.
  const all = await query<{ positionInfos: Position[]; pools: Position[] }>(credentials, {
    query: '{ positionInfos(first: 1000) { tokenId currentOwner status } pools { activePositions } }',
  })
  expect(all.positionInfos).toHaveLength(40)
  const active = all.positionInfos.filter(({ status }) => status === 'Active')
  expect(all.pools).toEqual([{ activePositions: active.length }])
  for (const { tokenId, currentOwner } of active) {
    const holder = {
      address: positions,
      abi: positionTokenAbi,
      functionName: 'ownerOf',
      args: [BigInt(tokenId!)],
    } as const
    expect((await chain.readContract(holder)).toLowerCase()).toBe(currentOwner)
  }

  // Either service, by either name, gives what the subgraph itself gives.
  const { variables } = body
  const before = await query<{ positionInfos: Position[] }>(credentials, { ...body, variables: { walletAddress } })
  expect(before.positionInfos.length).toBeGreaterThan(0)
  for (const [source, ask] of [['embedded', askEmbedded] as const, ['remote', askRemote] as const]) {
    for (const path of ['/data', '/graphql', '/data']) {
      const { status, json, headers } = await ask(path)
      expect([status, json]).toEqual([200, [{ chain: variables.chains[0], data: before }]])
      expect(headers['x-tallystick-chains']).toMatch(new RegExp(`^324;block=\\d+;lag=\\d+;source=${source}$`))
    }
  }

  // A new position is in the first answer after its block is indexed; by the remote way, after its head was looked at.
  const node = createTestClient({ mode: 'hardhat', transport: http(rpcUrl) })
  const snapshot = await node.snapshot()
  const [, , note] = (await getNotes(credentials)).notes
  const receipt = await lendFrom(credentials, { wallet: 0, note: note! })
  const blockNumber = Number(receipt.blockNumber)
  await expect.poll(async () => (await headOf(credentials)).number).toBeGreaterThanOrEqual(blockNumber)
  const { timestamp } = await chain.getBlock({ blockNumber: receipt.blockNumber })
  const [{ data: after }] = (await askEmbedded('/data')).json
  expect(after.positionInfos).toEqual([
    {
      tokenId: '41',
      owner: walletAddress.toLowerCase(),
      initalOwner: walletAddress.toLowerCase(),
      initiator: walletAddress.toLowerCase(),
      coupon: note!.coupon.toString(),
      principal: expect.stringMatching(/^[1-9]\d{21,}$/),
      lendTimestamp: timestamp.toString(),
      maturityTimestamp: note!.maturityTimestamp.toString(),
      partnerFeeBPS: expect.stringMatching(/^\d+$/),
      partnerId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      status: 'Active',
      lendTransactionHash: receipt.transactionHash,
    },
    ...before.positionInfos,
  ])
  await expect.poll(async () => (await askRemote('/data')).json).toEqual([{ chain: 324, data: after }])

  // A reorg takes it away again, at a height that was seen before.
  await node.revert({ id: snapshot })
  // The chain mines by itself as well, and may have come as far meanwhile.
  await node.mine({ blocks: Math.max(1, blockNumber + 1 - Number(await chain.getBlockNumber())) })
  const isOfNewFork = async () => {
    const { number, hash } = await headOf(credentials)
    const block = await chain.getBlock({ blockNumber: BigInt(number) }).catch(() => undefined)
    return number > blockNumber && block?.hash === hash
  }
  await expect.poll(isOfNewFork).toBe(true)
  expect((await askEmbedded('/data')).json).toEqual([{ chain: 324, data: before }])
  await expect.poll(async () => (await askRemote('/data')).json).toEqual([{ chain: 324, data: before }])
}

/** The public endpoint of the chain's subgraph. */
async function query<Data>({ chains: [{ subgraphUrl }], caCert }: Credentials, body: object): Promise<Data> {
  const { data, errors } = (await postJson(subgraphUrl, { caCert, body })).json
  expect(errors).toBeUndefined()
  return data as Data
}

/** The block the subgraph is at, as the chain names it. */
async function headOf(credentials: Credentials) {
  const { _meta } = await query<{ _meta: { block: { number: number; hash: string } } }>(credentials, {
    query: '{ _meta { block { number hash } } }',
  })
  return _meta.block
}

/** A second service, in a process of its own, whose subgraph is the sandbox's. */
async function serveRemote({ chains: [{ id, pool, subgraphUrl }], caCert }: Credentials) {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-remote-'))
  const database = await createTestDatabase('postgres', inject('databases'))
  const config = {
    listen: { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] } },
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: database.url,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    chains: [{ id, name: 'devnet', pool, subgraph: { urls: [subgraphUrl] } }],
  }
  await writeFile(join(directory, 'tallystick.json'), JSON.stringify(config))
  const env = { ADMIN_TOKEN: 'admin', SIGNER_KEY: `0x${'01'.repeat(32)}`, NODE_EXTRA_CA_CERTS: caCert }
  const child = spawn(process.execPath, [join(root, 'apps/tallystick/bin/tallystick.js'), 'serve'], {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await database.remove()
    await rm(directory, { recursive: true, force: true })
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += chunk
    if (/^ready /m.test(said)) break
  }
  const [, baseUrl = ''] = /^ready (\S+)$/m.exec(said) ?? []
  const [, adminUrl = ''] = /admin listener on (\S+)/.exec(said) ?? []
  const created = await postJson(`${adminUrl}/keys`, {
    headers: { authorization: 'Bearer admin' },
    body: { name: 'test', rpm: null },
  })
  return { baseUrl, apiKey: created.json.secret as string }
}
