import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { consistencyRanges, verifyConsistency, verifyInclusion } from '../test/verify-proof.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { CheckpointError, formatCheckpoint, formatSignedNote, verifyCheckpoint } from './checkpoint.ts'
import { decodeBundle, encodeBundle } from './entry-bundle.ts'
import { leafHash } from './merkle-hash.ts'
import { hashRange, nodesOf, proveInclusion, rootOf, type TreeNode } from './merkle-range.ts'
import { createMerkleTree, type MerkleTree, rootAfter } from './merkle-tree.ts'
import { formatTilePath, hashOfNode, parseTilePath, placeOf, tileAt } from './tile.ts'
import { createVerifierKey, formatVerifierKey, isOrigin, parseVerifierKey } from './verifier-key.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const entryOf = (index: number) => Buffer.from(`entry ${index}`)

function createTree(size: number) {
  const tree = createMerkleTree()
  growTree(tree, size)
  return tree
}

function growTree(tree: MerkleTree, size: number) {
  for (let index = tree.size; index < size; index++) tree.append(leafHash(entryOf(index)))
}

/** MTH of RFC 6962 §2.1 for the entries `from` up to `to`, written as the RFC writes it, but for the roots it knows. */
function rfcRoot(from: number, to: number, known: Map<string, Buffer>): Buffer {
  const name = `${from} ${to}`
  const root = known.get(name) ?? hashEntries()
  known.set(name, root)
  return root

  function hashEntries(): Buffer {
    const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
    if (from === to) return sha256()
    if (from + 1 === to) return sha256(Buffer.of(0), entryOf(from))
    let split = 1
    while (split * 2 < to - from) split *= 2
    return sha256(Buffer.of(1), rfcRoot(from, from + split, known), rfcRoot(from + split, to, known))
  }
}

test('behavior: roots of every size up to 300 equal the definition of RFC 6962', () => {
  const tree = createTree(300)
  const known = new Map<string, Buffer>()
  for (let size = 0; size <= 300; size++) {
    expect(hex(rootOf(size, tree.readNode)), `size ${size}`).toBe(hex(rfcRoot(0, size, known)))
  }
})

test('behavior: the test vectors of Certificate Transparency', () => {
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const tree = createMerkleTree()
  for (const input of inputs) tree.append(leafHash(Buffer.from(input, 'hex')))
  expect(hex(rootOf(0, tree.readNode))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(hex(rootOf(1, tree.readNode))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d')
  expect(hex(rootOf(8, tree.readNode))).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328')
})

function withOtherLastBit(hash: Uint8Array): Uint8Array {
  return hash.map((byte, position) => (position === 31 ? byte ^ 1 : byte))
}

test('behavior: every inclusion proof up to size 34 is accepted, and with any hash changed it is not', () => {
  const tree = createTree(34)
  for (let size = 1; size <= 34; size++) {
    const root = rootOf(size, tree.readNode)
    for (let index = 0; index < size; index++) {
      const hashes = proveInclusion(index, size, tree.readNode)
      const proof = { index, size, root, leaf: leafHash(entryOf(index)), hashes }
      expect(verifyInclusion(proof), `${index} of ${size}`).toBe(true)
      const wrong = [
        { ...proof, leaf: leafHash(entryOf(index + 1)) },
        { ...proof, index: size },
        { ...proof, hashes: [...hashes, proof.leaf] },
        ...hashes.flatMap((hash, at) => [
          { ...proof, hashes: hashes.with(at, withOtherLastBit(hash)) },
          { ...proof, hashes: hashes.toSpliced(at, 1) },
        ]),
      ]
      expect(wrong.filter(verifyInclusion), `${index} of ${size}`).toEqual([])
    }
  }
})

test('behavior: every consistency proof up to size 34 is accepted, and a fork is not', () => {
  const tree = createTree(34)
  const heads = Array.from({ length: 35 }, (_, size) => ({ size, root: rootOf(size, tree.readNode) }))
  for (const [older, oldHead] of heads.entries()) {
    const fork = { size: older, root: leafHash(entryOf(older + 1_000)) }
    for (const head of heads.slice(older)) {
      const newer = head.size
      const proof = consistencyRanges(older, newer).map((range) => hashRange(range, tree.readNode))
      expect(verifyConsistency(oldHead, head, proof), `${older} to ${newer}`).toBe(true)
      expect(verifyConsistency(fork, head, proof)).toBe(false)
      if (older > 0) expect(verifyConsistency(oldHead, { ...head, root: fork.root }, proof)).toBe(false)
      if (older < newer) expect(verifyConsistency(head, oldHead, proof)).toBe(false)
      const shorter = proof.map((_, at) => proof.toSpliced(at, 1))
      expect(shorter.filter((hashes) => verifyConsistency(oldHead, head, hashes))).toEqual([])
    }
  }
})

/** Tree that grows from case to case. Its leaves are numbers: hashes of entries would take half of the time. */
const growing = createMerkleTree()
const numberedLeaf = (index: number) => new Uint8Array(32).fill(index & 255).fill(index >> 8, 30)
test('error: an index outside the tree, a tree that shrinks, and a proof that is missing or too long', () => {
  const { readNode } = createTree(8)
  const root = rootOf(8, readNode)
  const leaf = leafHash(entryOf(0))
  const hashes = proveInclusion(0, 8, readNode)
  const inclusion = { index: 0, size: 8, root, leaf, hashes }
  expect(verifyInclusion(inclusion)).toBe(true)
  for (const index of [-1, 0.5, 8, Number.NaN, 2 ** 53]) expect(verifyInclusion({ ...inclusion, index })).toBe(false)
  expect(verifyInclusion({ ...inclusion, hashes: [...hashes, root] })).toBe(false)
  expect(verifyInclusion({ ...inclusion, hashes: hashes.slice(1) })).toBe(false)
  // A leaf of a tree of one is its root, with nothing to prove.
  expect(verifyInclusion({ index: 0, size: 1, root: leaf, leaf, hashes: [] })).toBe(true)
  expect(verifyInclusion({ index: 0, size: 2, root: leaf, leaf, hashes: [] })).toBe(false)

  const [small, whole, empty] = [6, 8, 0].map((size) => ({ size, root: rootOf(size, createTree(size).readNode) }))
  const proof = consistencyRanges(6, 8).map((range) => hashRange(range, readNode))
  expect(verifyConsistency(small!, whole!, proof)).toBe(true)
  expect(verifyConsistency(whole!, small!, proof)).toBe(false)
  expect(verifyConsistency(small!, whole!, [])).toBe(false)
  expect(verifyConsistency(small!, whole!, [...proof, root])).toBe(false)
  expect(verifyConsistency(whole!, whole!, [])).toBe(true)
  expect(verifyConsistency(whole!, whole!, [root])).toBe(false)
  expect(verifyConsistency(whole!, { size: 8, root: small!.root }, [])).toBe(false)
  expect(verifyConsistency(empty!, whole!, [])).toBe(true)
  expect(verifyConsistency(empty!, whole!, [root])).toBe(false)
  expect(verifyConsistency({ size: 0, root }, whole!, [])).toBe(false)
})

test.each([1, 2, 255, 256, 257, 65_535, 65_537])('behavior: a proof from the tiles of a tree of %i entries', (size) => {
  const tree = growing
  while (tree.size < size) tree.append(numberedLeaf(tree.size))
  const root = rootOf(size, tree.readNode)
  const readNode = (node: TreeNode) => hashOfNode(node, tree.readTile(tileAt(placeOf(node), size)))
  expect(hex(rootOf(size, readNode))).toBe(hex(root))
  for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
    const hashes = proveInclusion(index, size, readNode)
    expect(verifyInclusion({ index, size, root, leaf: numberedLeaf(index), hashes })).toBe(true)
  }
})

test('behavior: the root after more leaves equals that of the larger tree', () => {
  const whole = rootOf(40, createTree(40).readNode)
  const leaves = Array.from({ length: 40 }, (_, index) => leafHash(entryOf(index)))
  const tree = createMerkleTree()
  for (let size = 0; size <= 40; size++) {
    growTree(tree, size)
    expect(hex(rootAfter(tree, leaves.slice(size))), `from ${size}`).toBe(hex(whole))
  }
  expect(hex(rootAfter(createTree(0), []))).toBe(hex(rootOf(0, tree.readNode)))
})

test('behavior: the nodes of a range cover it', () => {
  expect(nodesOf({ from: 0, to: 7 })).toEqual([
    { level: 2, index: 0 },
    { level: 1, index: 2 },
    { level: 0, index: 6 },
  ])
})

test('behavior: the tree rejects a hash of another length and a node it does not have', () => {
  const tree = createTree(3)
  expect(() => tree.append(new Uint8Array(31))).toThrow(RangeError)
  expect(() => tree.readTile({ level: 0, index: 0, width: 4 })).toThrow(RangeError)
  expect(() => tree.readNode({ level: 1, index: 1 })).toThrow(RangeError)
})

test.each([
  [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
  [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
  [{ level: 1, index: 5, width: 7 }, 'tile/1/005.p/7'],
  [{ level: 'entries', index: 999, width: 255 }, 'tile/entries/999.p/255'],
  [{ level: 'entries', index: 1_000, width: 1 }, 'tile/entries/x001/000.p/1'],
] as const)('behavior: the path of %j', (tile, path) => {
  expect(formatTilePath(tile)).toBe(path)
  expect(parseTilePath(path)).toEqual(tile)
})

test.each([
  'tile/0/0',
  'tile/00/000',
  'tile/0/x000/000',
  'tile/0/001/000',
  'tile/0/x001/x234',
  'tile/0/000.p/0',
  'tile/0/000.p/256',
  'tile/0/000.p/01',
  'tile/0/000.p/',
  'tile/-1/000',
  'tile/entries/../000',
  'tile/0/000/',
  ' tile/0/000',
])('behavior: %j is no path of a tile', (path) => {
  expect(parseTilePath(path)).toBeUndefined()
})

test('behavior: a bundle gives its entries back, and a cut one is rejected', () => {
  const entries = [Buffer.from('a'), Buffer.alloc(65_535, 7), Buffer.from('{"v":1}')].map((one) => new Uint8Array(one))
  const bundle = encodeBundle(entries)
  expect(decodeBundle(bundle)?.map(hex)).toEqual(entries.map(hex))
  expect(decodeBundle(bundle.slice(0, -1))).toBeUndefined()
  expect(decodeBundle(bundle.slice(0, 4))).toBeUndefined()
  expect(decodeBundle(new Uint8Array())).toEqual([])
  expect(() => encodeBundle([new Uint8Array(65_536)])).toThrow(RangeError)
})

test('behavior: base64 equals that of Node and has one form only', () => {
  for (let length = 0; length < 100; length++) {
    const bytes = new Uint8Array(
      createHash('sha512')
        .update(String(length))
        .digest()
        .subarray(0, length % 64),
    )
    const text = Buffer.from(bytes).toString('base64')
    expect(encodeBase64(bytes)).toBe(text)
    expect(decodeBase64(text)).toEqual(bytes)
  }
  for (const text of ['A', 'AA', 'AAA', 'AB==', 'AAB=', 'A===', '====', 'AA==AA==', 'AA-_', 'AAAA\n', '____']) {
    expect(decodeBase64(text), text).toBeUndefined()
  }
})

function createKey(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = createVerifierKey(name, new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)))
  return { key, sign: (text: string) => new Uint8Array(sign(null, Buffer.from(text), privateKey)) }
}

test('behavior: a signed checkpoint opens, and with any character changed it does not', () => {
  const { key, sign } = createKey('notes.example/log')
  const checkpoint = { origin: 'notes.example/log', size: 3, root: rootOf(3, createTree(3).readNode) }
  const text = formatCheckpoint(checkpoint)
  const note = formatSignedNote(text, { key, signature: sign(text) })
  expect(verifyCheckpoint(note, key)).toEqual(checkpoint)
  for (let at = 0; at < note.length; at++) {
    const changed = note.slice(0, at) + (note[at] === 'A' ? 'B' : 'A') + note.slice(at + 1)
    expect(() => verifyCheckpoint(changed, key), `character ${at}`).toThrow(CheckpointError)
  }
})

test('behavior: a checkpoint of a witness, of another key or of another origin', () => {
  const { key, sign } = createKey('notes.example/log')
  const witness = createKey('witness.example')
  const text = formatCheckpoint({ origin: 'notes.example/log', size: 0, root: rootOf(0, createTree(0).readNode) })
  const signed = formatSignedNote(text, { key, signature: sign(text) })
  const witnessed = `${signed}${formatSignedNote(text, { key: witness.key, signature: witness.sign(text) }).slice(text.length + 1)}`
  expect(verifyCheckpoint(witnessed, key).size).toBe(0)
  expect(() => verifyCheckpoint(signed, witness.key)).toThrow('is not signed by the key of witness.example')
  const foreign = text.replace('notes.example/log', 'other.example/log')
  const foreignNote = formatSignedNote(foreign, { key, signature: sign(foreign) })
  expect(() => verifyCheckpoint(foreignNote, key)).toThrow('is of the log other.example/log')
})

test('error: a checkpoint that is too long, has control characters or no signatures, or is signed twice', () => {
  const { key, sign } = createKey('notes.example/log')
  const text = formatCheckpoint({ origin: 'notes.example/log', size: 0, root: rootOf(0, createTree(0).readNode) })
  const signText = (content: string) => formatSignedNote(content, { key, signature: sign(content) })
  const padded = (length: number) => signText(`${text}${'x'.repeat(length - signText(`${text}\n`).length)}\n`)
  expect(verifyCheckpoint(padded(16_384), key).size).toBe(0)
  expect(() => verifyCheckpoint(padded(16_385), key)).toThrow('The checkpoint is too long.')
  expect(() => verifyCheckpoint(signText(`${text}\t\n`), key)).toThrow('control characters')
  expect(() => verifyCheckpoint(text, key)).toThrow('has no signatures')
  expect(() => verifyCheckpoint(signText(text).trimEnd(), key)).toThrow('has no signatures')
  // One of two signatures of the same key is wrong.
  const second = formatSignedNote(text, { key, signature: new Uint8Array(64) }).slice(text.length + 1)
  expect(() => verifyCheckpoint(`${signText(text)}${second}`, key)).toThrow('is wrong')
})

test.each(['01', '-1', '1e3', '9007199254740992', '', ' 1'])('behavior: %j is no size of a checkpoint', (size) => {
  const { key, sign } = createKey('notes.example/log')
  const text = `notes.example/log\n${size}\n${Buffer.alloc(32).toString('base64')}\n`
  expect(() => verifyCheckpoint(formatSignedNote(text, { key, signature: sign(text) }), key)).toThrow(CheckpointError)
})

test('behavior: the text of a verifier key', () => {
  // Key and text of the documentation of golang.org/x/mod/sumdb/note.
  const text = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const key = parseVerifierKey(text)
  expect(key && formatVerifierKey(key)).toBe(text)
  for (const wrong of [
    '',
    'a+b',
    text.replace('c74f', 'c74e'),
    text.replace('+AR', '+AS'),
    text.replace('Peter', 'P '),
    `${text}A`,
  ]) {
    expect(parseVerifierKey(wrong), wrong).toBeUndefined()
  }
  expect(['notes.example/log', 'ä'].every(isOrigin)).toBe(true)
  expect(['', 'a b', 'a+b', 'a\u00a0b', 'a\nb', 'x'.repeat(256)].some(isOrigin)).toBe(false)
})
