import { expect, test } from 'vitest'
import { decodeLogs } from './read-range.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const address = `0x${'a'.repeat(40)}`
const bounds = { from: 1, to: 9, addresses: new Set([address]) }
const log = {
  ...{ address, blockHash: hash('1'), transactionHash: hash('2'), blockNumber: '0x1', logIndex: '0x0' },
  ...{ topics: [hash('3')], data: '0x' },
}

test('default: logs in the order of the chain', () => {
  expect(decodeLogs([{ ...log, logIndex: '0x1' }, log], bounds)).toMatchObject([
    { number: 1, hash: hash('1'), logs: [{ logIndex: 0 }, { logIndex: 1 }] },
  ])
})

test.each([
  ['no list', null],
  ['a null entry', [null]],
  ['a hash that is not hex', [{ ...log, blockHash: hash('g') }]],
  ['data that is not hex', [{ ...log, data: 'none' }]],
  ['a topic that is not a hash', [{ ...log, topics: ['0x1'] }]],
  ['topics that are no list', [{ ...log, topics: null }]],
  ['no index', [{ ...log, logIndex: null }]],
  ['a block that was not requested', [{ ...log, blockNumber: '0xa' }]],
])('error: %s is malformed', (_, json) => {
  expect(() => decodeLogs(json, bounds)).toThrow(expect.objectContaining({ name: 'RpcError', kind: 'malformed' }))
})
