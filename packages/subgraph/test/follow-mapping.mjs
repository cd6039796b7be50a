// Plain JavaScript, because dozens of short-lived processes load it.

export const schema = `
type Event @entity { id: ID! salt: BigInt! block: Int! time: BigInt! transaction: Bytes! }
type Tally @entity { id: ID! events: Int! salts: BigInt! }`

export function createMapping(address) {
  return {
    addresses: [address],
    map: async (blocks, load) => {
      const tally = await loadTally(load)
      return blocks.map((block) => ({ block: block.block, changes: mapBlock(block, tally) }))
    },
  }
}

async function loadTally(load) {
  const stored = (await load('Tally', ['all'])).get('all')
  return { events: Number(stored?.events ?? 0), salts: BigInt(stored?.salts ?? 0) }
}

function mapBlock({ block, logs }, tally) {
  const events = logs.map(({ topics, data, transactionHash }) => {
    const salt = BigInt(`0x${data.slice(66)}`)
    tally.events += 1
    tally.salts += salt
    const set = { salt: String(salt), block: block.number, time: String(block.timestamp), transaction: transactionHash }
    return { entity: 'Event', id: String(BigInt(topics[1])), set }
  })
  if (events.length === 0) return []
  return [...events, { entity: 'Tally', id: 'all', set: { events: tally.events, salts: String(tally.salts) } }]
}
