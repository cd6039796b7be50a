import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { expect, test } from 'vitest'
import { positionTokenAbi } from '../src/generated/position-token.ts'
import { getNotes, lendFrom, readChain } from './devnet-client.ts'
import { type Credentials, newDirectory, readCredentials, startSandbox } from './start-sandbox.ts'

// SPEC.md §4.2, the position query as it is shaped there.
const fetchAllPositions = `query FetchAllPositions($walletAddress: Bytes!) {
  positionInfos(where: { currentOwner: $walletAddress }, orderBy: tokenId, orderDirection: desc) {
    tokenId owner: currentOwner initalOwner initiator coupon principal lendTimestamp maturityTimestamp partnerFeeBPS
    partnerId status lendTransactionHash
  }
}`

type Position = Readonly<Record<string, string>>

async function query<Data>({ chains: [{ subgraphUrl }], caCert }: Credentials, body: object): Promise<Data> {
  const outgoing = request(subgraphUrl, {
    method: 'POST',
    ca: readFileSync(caCert),
    headers: { 'content-type': 'application/json' },
  }).end(JSON.stringify(body))
  const [response] = await once(outgoing, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const { data, errors } = JSON.parse(Buffer.concat(chunks).toString())
  expect(errors).toBeUndefined()
  return data as Data
}

test('default: at the ready line every position is there as the chain has it, and a new one a moment after it is lent', {
  timeout: 90_000,
}, async () => {
  const dir = await newDirectory()
  const sandbox = await startSandbox('--dir', dir)
  const credentials = readCredentials(dir)
  const [{ positions }] = credentials.chains
  const chain = readChain(credentials)
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

  const [, , note] = (await getNotes(credentials)).notes
  const receipt = await lendFrom(credentials, { wallet: 0, note: note! })
  const walletAddress = credentials.wallets[0]!.address
  await expect
    .poll(() => query(credentials, { query: '{ _meta { block { number } } }' }), { timeout: 10_000 })
    .toSatisfy(
      (data: { _meta: { block: { number: number } } }) => data._meta.block.number >= Number(receipt.blockNumber),
    )
  const mine = await query<{ positionInfos: Position[] }>(credentials, {
    query: fetchAllPositions,
    variables: { walletAddress },
  })
  const { timestamp } = await chain.getBlock({ blockNumber: receipt.blockNumber })
  expect(mine.positionInfos[0]).toEqual({
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
  })
  await sandbox.stop()
})
