import { expect, test } from 'vitest'
import { parseLogPositions } from './fetch-notes.ts'

test('default: one item per chain, in ascending order of the chains', () => {
  const header = 'notes.example/log;index=1204;size=1207, notes.example/log;index=1205;size=1207'
  expect(parseLogPositions(header, [8453, 324, 324])).toEqual([
    { chainId: 324, origin: 'notes.example/log', index: 1204, size: 1207 },
    { chainId: 8453, origin: 'notes.example/log', index: 1205, size: 1207 },
  ])
})

test('behavior: an origin may contain commas and semicolons', () => {
  const [position] = parseLogPositions('a;index=1,b;index=0;size=1', [324]) ?? []
  expect(position).toEqual({ chainId: 324, origin: 'a;index=1,b', index: 0, size: 1 })
})

test.each([
  [null, [324]],
  ['', [324]],
  ['', []],
  ['a;index=0;size=1', []],
  ['a;index=0;size=1', [324, 8453]],
  ['a;index=0;size=1, a;index=1', [324, 8453]],
  ['a;index=-1;size=1', [324]],
  ['a;index=0;size=1e3', [324]],
  [';index=0;size=1', [324]],
  ['a;index=0000000000000000;size=1', [324]],
])('behavior: %j for the chains %j is ignored', (header, chainIds) => {
  expect(parseLogPositions(header, chainIds)).toBeUndefined()
})
