import type { BlockChanges, Subgraph } from '@tallystick/subgraph'

const positions = 200_000
const positionsPerOwner = 10
const positionsPerBlock = 10
const blocksPerCommit = 500
const pool = hex(0xabc, 20)

/** Stores positions in the protocol's subgraph, ten per owner, each with its account. */
export async function fillPositions(subgraph: Subgraph, count = positions): Promise<void> {
  for (const blocks of batches(count)) await subgraph.commitMany(blocks)
  // The first single block creates the indexes.
  await subgraph.commit(blockAt(count / positionsPerBlock + 1), [])
}

/** Returns the owner of a position. Consecutive positions have owners that are far apart in the index. */
export function ownerOf(id: number, count = positions): string {
  return hex(((id * 7_919) % (count / positionsPerOwner)) + 1, 20)
}

function* batches(count: number): Generator<readonly BlockChanges[]> {
  const blocks = count / positionsPerBlock
  for (let first = 1; first <= blocks; first += blocksPerCommit) {
    const length = Math.min(blocksPerCommit, blocks - first + 1)
    yield Array.from({ length }, (_, index) => changesOf(first + index, count))
  }
}

function changesOf(number: number, count: number): BlockChanges {
  const ids = Array.from({ length: positionsPerBlock }, (_, index) => (number - 1) * positionsPerBlock + index + 1)
  const changes = ids.flatMap((id) => [
    { entity: 'Account', id: ownerOf(id, count), set: accountOf(id) },
    { entity: 'PositionInfo', id: String(id), set: positionOf(id, ownerOf(id, count)) },
  ])
  return { block: blockAt(number), changes }
}

function positionOf(id: number, owner: string): Record<string, string> {
  return {
    ...{ tokenId: String(id), currentOwner: owner, initalOwner: owner, initiator: owner, account: owner },
    ...{ coupon: String(id % 500), principal: `${id}000000000000000000`, partnerFeeBPS: '25', partnerId: '0x01' },
    ...{ lendTimestamp: String(1_700_000_000 + id), maturityTimestamp: String(1_710_000_000 + id), status: 'Active' },
    lendTransactionHash: hex(id, 32),
    pool,
  }
}

function accountOf(id: number) {
  const amount = String(id)
  const sums = { activePrincipal: amount, totalPrincipal: amount, totalIncome: '0', totalFees: '0' }
  return { activePositions: id, ...sums, denylisted: false, denylistedBy: [] }
}

function blockAt(number: number) {
  return { number, hash: hex(number, 32), parentHash: hex(number - 1, 32), timestamp: 1_700_000_000 + number }
}

function hex(value: number, bytes: number): string {
  return `0x${value.toString(16).padStart(2 * bytes, '0')}`
}
