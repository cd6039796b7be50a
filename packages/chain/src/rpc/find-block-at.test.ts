import { expect, test } from 'vitest'
import { findBlockAt } from './read-blocks.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

const times = [100, 100, 110, 130, 130, 200]

/** An endpoint with blocks of these times. */
const endpoint: Pick<RpcEndpoint, 'callMany'> = {
  callMany: async (calls) =>
    calls.map(({ params: [number] }) => {
      const hash = `0x${'1'.repeat(64)}`
      const timestamp = `0x${(times[Number(number)] as number).toString(16)}`
      return { number, hash, parentHash: hash, timestamp }
    }),
}

test.each([
  [0, 0],
  [100, 0],
  [101, 2],
  [110, 2],
  [130, 3],
  [131, 5],
  [200, 5],
  [201, 6],
])('default: the first block at or after second %i is %i', async (timestamp, block) => {
  expect(await findBlockAt(endpoint as RpcEndpoint, { timestamp, head: times.length - 1 })).toBe(block)
})
