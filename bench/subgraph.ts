import type { Database } from '@tallystick/database'
import { type BlockChanges, openSubgraph, type Subgraph } from '@tallystick/subgraph'

export type Figure = { readonly name: string; readonly value: number; readonly unit: string }

const positions = 200_000
const owners = 20_000
const positionsPerBlock = 10
const blocksPerCommit = 500
const queries = 300

const schema = `
type PositionInfo @entity {
  id: ID! tokenId: BigInt! currentOwner: Bytes! initalOwner: Bytes! initiator: Bytes! coupon: BigInt! principal: BigInt!
  lendTimestamp: BigInt! maturityTimestamp: BigInt! partnerFeeBPS: BigInt! partnerId: Bytes! status: String!
  lendTransactionHash: Bytes! account: Account!
}
type Account @entity {
  id: Bytes! activePositions: Int! totalPrincipal: BigInt! positions: [PositionInfo!]! @derivedFrom(field: "account")
}`

const positionQuery = `query ($owner: Bytes!, $block: Block_height) {
  positionInfos(where: { currentOwner: $owner }, orderBy: tokenId, orderDirection: desc, first: 100, block: $block) {
    id tokenId currentOwner initalOwner initiator coupon principal lendTimestamp maturityTimestamp partnerFeeBPS
    partnerId status lendTransactionHash
  }
}`

/** Backfills 200,000 positions of 20,000 owners, one position and one account each, then asks for them. */
export async function benchSubgraph(database: Database): Promise<readonly Figure[]> {
  const subgraph = await openSubgraph({ database, schema, namespace: 'bench_subgraph' })
  const started = performance.now()
  for (const blocks of batches()) await subgraph.commitMany(blocks)
  const seconds = (performance.now() - started) / 1_000
  const indexing = performance.now()
  await subgraph.commit(blockAt(positions / positionsPerBlock + 1), [])
  const indexingMs = performance.now() - indexing
  const pinned = { number: (subgraph.head?.number ?? 0) - 20 }
  return [
    { name: 'backfill', value: positions / seconds, unit: 'events/s' },
    { name: 'backfill, rows', value: (2 * positions) / seconds, unit: 'rows/s' },
    { name: 'indexes after it', value: indexingMs, unit: 'ms' },
    { name: 'position query, median', value: await medianMs(subgraph, null), unit: 'ms' },
    { name: 'position query 20 blocks back, median', value: await medianMs(subgraph, pinned), unit: 'ms' },
  ]
}

function* batches(): Generator<readonly BlockChanges[]> {
  const blocks = positions / positionsPerBlock
  for (let first = 1; first <= blocks; first += blocksPerCommit) {
    const length = Math.min(blocksPerCommit, blocks - first + 1)
    yield Array.from({ length }, (_, index) => changesOf(first + index))
  }
}

function changesOf(number: number): BlockChanges {
  const ids = Array.from({ length: positionsPerBlock }, (_, index) => (number - 1) * positionsPerBlock + index + 1)
  const changes = ids.flatMap((id) => [
    { entity: 'Account', id: ownerOf(id), set: { activePositions: id, totalPrincipal: String(id) } },
    { entity: 'PositionInfo', id: String(id), set: positionOf(id) },
  ])
  return { block: blockAt(number), changes }
}

function positionOf(id: number): Record<string, string> {
  const owner = ownerOf(id)
  return {
    ...{ tokenId: String(id), currentOwner: owner, initalOwner: owner, initiator: owner, account: owner },
    ...{ coupon: String(id % 500), principal: `${id}000000000000000000`, partnerFeeBPS: '25', partnerId: '0x01' },
    ...{ lendTimestamp: String(1_700_000_000 + id), maturityTimestamp: String(1_710_000_000 + id), status: 'Active' },
    lendTransactionHash: hex(id, 32),
  }
}

/** Far apart, so that neighbours in time are not neighbours in the index. */
function ownerOf(id: number): string {
  return hex(((id * 7_919) % owners) + 1, 20)
}

function blockAt(number: number) {
  return { number, hash: hex(number, 32), parentHash: hex(number - 1, 32), timestamp: 1_700_000_000 + number }
}

function hex(value: number, bytes: number): string {
  return `0x${value.toString(16).padStart(2 * bytes, '0')}`
}

async function medianMs(subgraph: Subgraph, block: { readonly number: number } | null): Promise<number> {
  const times: number[] = []
  for (let query = 0; query < queries; query++) {
    const started = performance.now()
    const variables = { owner: ownerOf(query * 37), block }
    const { errors } = await subgraph.execute({ query: positionQuery, variables })
    if (errors) throw new Error(JSON.stringify(errors))
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[queries / 2] ?? Number.NaN
}
