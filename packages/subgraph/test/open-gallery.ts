import type { Database } from '@tallystick/database'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { type Block, type EntityChange, openSubgraph, type Subgraph } from '../src/index.ts'

/** Schema with references, lists, enums and every scalar, unrelated to notes. */
export const gallerySchema = `
enum Mood { CALM LOUD }
"Somebody who makes works."
type Artist @entity {
  id: Bytes!
  name: String!
  nickname: String
  mood: Mood!
  moods: [Mood!]!
  isActive: Boolean!
  rank: Int8!
  score: BigDecimal!
  bornAt: Timestamp!
  tags: [String!]!
  lots: [BigInt!]
  marks: [Bytes!]
  flags: [Boolean!]
  mentor: Artist
  works: [Work!]! @derivedFrom(field: "artist")
  profile: Profile @derivedFrom(field: "artist")
  shows: [Show!]! @derivedFrom(field: "artists")
}
type Work @entity { id: ID! title: String! artist: Artist! price: BigInt year: Int! gallery: Gallery }
type Gallery @entity { id: Int8! name: String! works: [Work!]! @derivedFrom(field: "gallery") }
type Profile @entity { id: String! text: String artist: Artist! }
type Show @entity { id: ID! title: String! artists: [Artist!]! galleries: [Gallery!] }
`

export function blockAt(number: number, fork = ''): Block {
  const hashOf = (of: number) => `0x${fork}${of.toString(16).padStart(64 - fork.length, '0')}`
  return { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: 1_700_000_000 + number * 12 }
}

const ada = {
  name: 'Ada',
  nickname: 'The %_\\ Painter',
  mood: 'CALM',
  moods: ['CALM', 'LOUD'],
  isActive: true,
  rank: '9223372036854775807',
  score: '1.50',
  bornAt: '1700000000000001',
  tags: ['Oil', 'Ink'],
  lots: ['115792089237316195423570985008687907853269984665640564039457584007913129639935', '-1'],
  marks: ['0x', '0xAB'],
  flags: [true, false],
}
const bob = {
  name: 'bob',
  mood: 'LOUD',
  moods: [],
  isActive: false,
  rank: '-5',
  score: '-0.00000000000000000000000000000000012345678901234567890123456789012345',
  bornAt: '-1',
  tags: ['ink'],
  mentor: '0x0a',
}
const cyd = { ...bob, name: 'Cyd', nickname: '', isActive: true, rank: '10', score: '100', bornAt: '5', tags: [] }

/** Block 1 creates the entities, block 2 changes some, block 3 removes a work. */
export const galleryBlocks: readonly { readonly block: Block; readonly changes: readonly EntityChange[] }[] = [
  {
    block: blockAt(1),
    changes: [
      { entity: 'Artist', id: '0x0A', set: ada },
      { entity: 'Artist', id: '0x0b', set: bob },
      { entity: 'Artist', id: '0x0c0d', set: { ...cyd, mentor: '0x0b' } },
      { entity: 'Gallery', id: '1', set: { name: 'North' } },
      { entity: 'Gallery', id: '20', set: { name: 'South' } },
      { entity: 'Profile', id: 'p1', set: { artist: '0x0a', text: 'about Ada' } },
      { entity: 'Work', id: 'w1', set: { title: 'One', artist: '0x0a', price: '10', year: 2001, gallery: '1' } },
      { entity: 'Work', id: 'w2', set: { title: 'Two', artist: '0x0a', price: '9', year: 2001, gallery: '20' } },
      { entity: 'Work', id: 'w3', set: { title: 'Three', artist: '0x0b', year: 2003, gallery: '1' } },
      { entity: 'Work', id: 'w4', set: { title: 'Four', artist: '0x0b', price: '100', year: 1999 } },
      { entity: 'Show', id: 's1', set: { title: 'Both', artists: ['0x0b', '0x0a'], galleries: ['20', '1'] } },
      { entity: 'Show', id: 's2', set: { title: 'Alone', artists: ['0x0b'] } },
      { entity: 'Show', id: 's3', set: { title: 'Empty', artists: [], galleries: [] } },
    ],
  },
  {
    block: blockAt(2),
    changes: [
      { entity: 'Work', id: 'w1', set: { price: '11' } },
      { entity: 'Work', id: 'w4', set: { gallery: '20' } },
    ],
  },
  { block: blockAt(3), changes: [{ entity: 'Work', id: 'w2', set: null }] },
]

export async function openGallery(database: Database, namespace = 'gallery'): Promise<Subgraph> {
  const subgraph = await openSubgraph({
    database,
    schema: gallerySchema,
    namespace,
    deployment: 'QmGallery',
    queryTimeoutMs: waitOptions.timeout,
  })
  for (const { block, changes } of galleryBlocks) await subgraph.commit(block, changes)
  return subgraph
}
