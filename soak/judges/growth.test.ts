import { expect, test } from 'vitest'
import { findGrowth } from './growth.ts'

const gauge = { heapBytes: 50_000_000, rssBytes: 200_000_000, descriptors: 40, resources: { TCPSocketWrap: 10 } }

test('default: equal or smaller values have not grown', () => {
  expect(findGrowth({ before: gauge, after: gauge })).toEqual([])
  expect(findGrowth({ before: gauge, after: { ...gauge, heapBytes: 1, descriptors: 1, resources: {} } })).toEqual([])
})

test('error: heap, descriptors and each kind of handle are reported beyond their limit', () => {
  const within = { ...gauge, heapBytes: 83_554_432, descriptors: 52, resources: { TCPSocketWrap: 22 } }
  expect(findGrowth({ before: gauge, after: within })).toEqual([])
  const beyond = { ...gauge, heapBytes: 83_554_433, descriptors: 53, resources: { TCPSocketWrap: 23, Timeout: 13 } }
  expect(findGrowth({ before: gauge, after: beyond })).toEqual([
    'heap 47.7 MB to 79.7 MB',
    'descriptors 40 to 53',
    'TCPSocketWrap 10 to 23',
    'Timeout 0 to 13',
  ])
})
