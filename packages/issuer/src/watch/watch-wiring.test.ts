import type { PoolWiring } from '@tallystick/chain'
import { expect, test } from 'vitest'
import type { NoteSet } from '../note-set.ts'
import { createWiringWatch, findWiringFaults } from './watch-wiring.ts'

const [pool, dollar, positions, other] = ['01', '02', '03', '04'].map((byte) => `0x${byte.repeat(20)}`) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]
const accepted = { outcome: 'accepted', message: 'it succeeds' } as const
const refused = { outcome: 'refused', message: 'it fails' } as const
const unknown = { outcome: 'unknown', message: 'not simulated' } as const
const wiring: PoolWiring = { positionToken: positions, dollar, mint: accepted, lend: accepted, claim: accepted }
const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool }
const chain = { id: 324, dollar, domain, subgraph: { embedded: { positions, startBlock: 0 } } }
const clausesOf = (change: Partial<PoolWiring>, configured: object = {}) =>
  findWiringFaults({ ...wiring, ...change }, { ...chain, ...configured }).map(({ clause }) => clause)

test.each([
  ['all is well', {}, {}, []],
  ['nothing could be simulated', { mint: unknown, lend: unknown, claim: unknown }, {}, []],
  ['the pool names nothing', { dollar: undefined, positionToken: undefined }, {}, []],
  ['neither token is configured', {}, { dollar: undefined, subgraph: undefined }, []],
  ['the dollar is another', {}, { dollar: other }, ['the pool’s dollar is not the configured one']],
  [
    'the position token is another',
    { positionToken: other },
    {},
    ['the pool’s position token is not the configured one'],
  ],
  [
    'the pool may not mint, which fails its claims too',
    { mint: refused, claim: refused },
    {},
    ['the pool may not mint the dollar, so it cannot pay claims'],
  ],
  [
    'the position token has another pool, which fails claims too',
    { lend: refused, claim: refused },
    {},
    ['the position token does not accept the pool, so loans fail'],
  ],
  ['claims alone fail', { claim: refused }, {}, ['the pool cannot pay claims']],
  ['claims fail and lends are not simulated', { lend: unknown, claim: refused }, {}, ['the pool cannot pay claims']],
] as const)('default: if %s', (_, change, configured, clauses) => {
  expect(clausesOf(change, configured)).toEqual(clauses)
})

test('behavior: it runs at the first check, at every fourth one, and at every one while there are faults', async () => {
  let runs = 0
  let found = wiring
  const reader = {
    checkWiring: async () => {
      runs += 1
      return found
    },
  }
  const watch = createWiringWatch(chain, { reader, findMature: async () => [] })
  const state = { limits: { minLendLimit: 0n } } as never
  const check = async () =>
    watch({ set: undefined as NoteSet | undefined, state, nowSeconds: 1n, signal: new AbortController().signal })
  expect([await check(), runs]).toEqual([{ faults: [], isFresh: true }, 1])
  found = { ...wiring, mint: refused }
  for (let index = 0; index < 3; index += 1) expect(await check()).toEqual({ faults: [], isFresh: false })
  expect([(await check()).faults.length, runs]).toEqual([1, 2])
  expect([(await check()).isFresh, runs]).toEqual([true, 3])
  found = wiring
  expect([await check(), runs]).toEqual([{ faults: [], isFresh: true }, 4])
  expect([(await check()).isFresh, runs]).toEqual([false, 4])
})
