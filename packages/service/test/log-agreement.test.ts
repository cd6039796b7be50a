import { isUtf8 } from 'node:buffer'
import {
  CheckpointError,
  createMerkleTree,
  createVerifiedTree,
  decodeBundle,
  formatTilePath,
  hashRange,
  inclusionRanges,
  leafHash,
  nodesOf,
  parseTilePath,
  parseVerifierKey,
  rootOf,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import { createPublicLog } from '@tallystick/workbench/public-log/create-public-log'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { consistencyRanges, verifyConsistency, verifyInclusion } from '../../tlog/test/verify-proof.ts'
import { type Answer, createAuditor, readBundle, tilePath } from './log-verifier/audit-log.ts'
import { followPath, followProof, makePath, makeProof, rootOfHashes } from './log-verifier/merkle.ts'
import { Finding, openNote, openCheckpoint as openOther, readKey, readTreeHead } from './log-verifier/signed-note.ts'

// Compares the functions of tlog, which service, SDK and monitor use, and those that check its proofs in tests, with a
// verifier written from the specifications.

const sizeMax = 300
const leaves = Array.from({ length: sizeMax + 1 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)))
const tree = createMerkleTree()
for (const leaf of leaves) tree.append(leaf)
const rootAt = (size: number) => rootOf(size, tree.readNode)
const otherMth = (from: number, to: number) => rootOfHashes(leaves.slice(from, to))

/** Returns whether the other verifier accepts; a `Finding` is a rejection. */
function accepts(run: () => unknown): boolean {
  try {
    return run() !== false
  } catch (error) {
    if (error instanceof Finding || error instanceof CheckpointError) return false
    throw error
  }
}

const buffers = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash))
const flip = (bytes: Uint8Array, bit: number) => {
  const changed = Buffer.from(bytes)
  const at = Math.floor(bit / 8) % changed.length
  changed[at] = (changed[at] as number) ^ (1 << (bit % 8))
  return changed
}

/** Changes to a list of hashes. */
const hashChange = fc.oneof(
  fc.constant((hashes: readonly Buffer[]) => hashes),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, bit]) => (hashes: readonly Buffer[]) => {
    const index = at % Math.max(1, hashes.length)
    return hashes.map((hash, position) => (position === index ? flip(hash, bit) : hash))
  }),
  fc.nat().map((at) => (hashes: readonly Buffer[]) => hashes.toSpliced(at % (hashes.length + 1), 1)),
  fc.nat().map((at) => (hashes: readonly Buffer[]) => hashes.toSpliced(at % (hashes.length + 1), 0, Buffer.alloc(32))),
  fc.constant((hashes: readonly Buffer[]) => hashes.toReversed()),
)
const sizes = fc.integer({ min: 1, max: sizeMax })

describe('proofs', () => {
  test('behavior: of inclusion are equal, and changed ones are accepted by both or by none', () => {
    let accepted = 0
    const property = fc.property(
      sizes,
      fc.nat(),
      hashChange,
      fc.integer({ min: -2, max: 2 }),
      (size, seed, change, off) => {
        const index = seed % size
        const hashes = buffers(inclusionRanges(index, size).map((range) => hashRange(range, tree.readNode)))
        expect(hashes).toEqual(makePath(index, [0, size], otherMth))
        const claim = { index: index + (seed % 3 === 0 ? off : 0), size: size + (seed % 3 === 1 ? off : 0) }
        const path = [...change(hashes)]
        const leaf = leaves[index] as Uint8Array
        const isAccepted = verifyInclusion({ ...claim, leaf, root: rootAt(size), hashes: path })
        const isInTree = claim.index >= 0 && claim.index < claim.size
        const found = isInTree ? followPath(Buffer.from(leaf), { m: claim.index, n: claim.size, path }) : undefined
        expect(isAccepted).toBe(found?.equals(rootAt(size)) === true)
        accepted += Number(isAccepted)
      },
    )
    fc.assert(property, { numRuns: 200 })
    // About 30 of 200 are accepted.
    expect(accepted).toBeGreaterThan(5)
  })

  test('behavior: of consistency are equal, and changed ones are accepted by both or by none', () => {
    let accepted = 0
    const property = fc.property(
      sizes,
      fc.nat(),
      hashChange,
      fc.integer({ min: -2, max: 2 }),
      (size, seed, change, off) => {
        const older = 1 + (seed % size)
        const hashes = buffers(consistencyRanges(older, size).map((range) => hashRange(range, tree.readNode)))
        expect(hashes).toEqual(makeProof(older, size, otherMth))
        const claim = {
          older: Math.max(1, older + (seed % 3 === 0 ? off : 0)),
          size: size + (seed % 3 === 1 ? off : 0),
        }
        const root = Buffer.from(rootAt(size))
        const oldRoot = seed % 5 === 0 ? flip(rootAt(older), seed) : Buffer.from(rootAt(older))
        const proof = [...change(hashes)]
        const isAccepted = verifyConsistency({ size: claim.older, root: oldRoot }, { size: claim.size, root }, proof)
        const roots =
          claim.older <= claim.size
            ? followProof(oldRoot, { m: claim.older, n: claim.size, proof, isWhole: true })
            : undefined
        expect(isAccepted).toBe(roots?.old.equals(oldRoot) === true && roots.new.equals(root))
        accepted += Number(isAccepted)
      },
    )
    fc.assert(property, { numRuns: 200 })
    // About 30 of 200 are accepted.
    expect(accepted).toBeGreaterThan(5)
  })
})

test.each([2 ** 31, 2 ** 32 + 1, 2 ** 49 - 1, 2 ** 49, 2 ** 49 + 1, 2 ** 52 - 1, Number.MAX_SAFE_INTEGER])(
  'behavior: proofs of a tree of %i entries consist of the same ranges',
  (size) => {
    const name = (from: number, to: number) => Buffer.from(`${from} ${to}`)
    const named = (ranges: readonly { readonly from: number; readonly to: number }[]) =>
      ranges.map(({ from, to }) => name(from, to))
    for (const place of [0, 1, Math.floor(size / 3), size - 2, size - 1]) {
      expect(named(inclusionRanges(place, size))).toEqual(makePath(place, [0, size], name))
      expect(named(consistencyRanges(place + 1, size))).toEqual(makeProof(place + 1, size, name))
      const leaves = nodesOf({ from: 0, to: place + 1 }).reduce((sum, { level }) => sum + 2 ** level, 0)
      expect(leaves).toBe(place + 1)
    }
  },
)

/** Changes to bytes: a bit, a byte more, a byte less, two parts exchanged. */
const byteChange = fc.oneof(
  fc.constant((bytes: Buffer) => bytes),
  fc.nat().map((bit) => (bytes: Buffer) => (bytes.length === 0 ? bytes : flip(bytes, bit))),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => (bytes: Buffer) => {
    const place = at % (bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, place), Buffer.of(byte), bytes.subarray(place)])
  }),
  fc.nat().map((at) => (bytes: Buffer) => {
    const place = at % Math.max(1, bytes.length)
    return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)])
  }),
  fc.nat().map((at) => (bytes: Buffer) => {
    const place = at % (bytes.length + 1)
    return Buffer.concat([bytes.subarray(place), bytes.subarray(0, place)])
  }),
)

describe('texts and bytes', () => {
  const log = createPublicLog()
  log.append('an entry')
  log.publish()
  const witness = createPublicLog({ origin: 'witness.example' }).checkpoint.split('\n').at(-2)
  const key = parseVerifierKey(log.key) as VerifierKey
  const otherKey = readKey(log.key)

  test('behavior: a changed checkpoint is accepted by both or by none', { tags: 'slow' }, () => {
    let accepted = 0
    const notes = fc.constantFrom(log.checkpoint, `${log.checkpoint}${witness}\n`).map((text) => Buffer.from(text))
    const property = fc.property(notes, byteChange, (note, change) => {
      const changed = change(note)
      // Ours gets decoded text.
      fc.pre(isUtf8(changed))
      const isAccepted = accepts(() => verifyCheckpoint(changed.toString(), key))
      expect(isAccepted).toBe(accepts(() => openOther(changed, otherKey)))
      accepted += Number(isAccepted)
    })
    fc.assert(property, { numRuns: 400 })
    expect(accepted).toBeGreaterThan(40)
  })

  test('behavior: a changed key is accepted by both or by none', () => {
    const property = fc.property(byteChange, (change) => {
      const changed = change(Buffer.from(log.key)).toString()
      expect(parseVerifierKey(changed) !== undefined, changed).toBe(accepts(() => readKey(changed)))
    })
    fc.assert(property, { numRuns: 500 })
    expect(accepts(() => readKey(log.key))).toBe(true)
  })

  test('behavior: a bundle is read alike', () => {
    const bundles = fc
      .array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 })
      .map((entries) =>
        Buffer.concat(entries.flatMap((entry) => [Buffer.of(entry.length >> 8, entry.length & 255), entry])),
      )
    const property = fc.property(bundles, byteChange, (bundle, change) => {
      const changed = change(bundle)
      const entries = decodeBundle(changed)?.map((entry) => Buffer.from(entry))
      if (entries) expect(readBundle(changed)).toEqual(entries)
      else expect(() => readBundle(changed)).toThrow(Finding)
    })
    fc.assert(property, { numRuns: 500 })
    expect(readBundle(Buffer.of(0, 1, 7))).toEqual([Buffer.of(7)])
  })

  test('behavior: a tile has the same path', () => {
    const levels = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const))
    const property = fc.property(levels, fc.nat(10 ** 12), fc.integer({ min: 1, max: 256 }), (level, index, width) => {
      const path = tilePath(level, index, width)
      expect(formatTilePath({ level, index, width })).toBe(path)
      expect(parseTilePath(path)).toEqual({ level, index, width })
    })
    fc.assert(property, { numRuns: 300 })
    expect(tilePath(0, 1_234_067, 5)).toBe('tile/0/x001/x234/067.p/5')
  })
})

describe('whole logs', () => {
  /** Reads a log without HTTP, and with a change of one resource. */
  const getFrom = (log: ReturnType<typeof createPublicLog>, change: (path: string, body: Buffer) => Buffer) => {
    return async (path: string): Promise<Answer> => {
      const resource = log.read(path)
      if (resource.status !== 200) return { status: resource.status, type: '', body: Buffer.alloc(0) }
      return { status: 200, type: resource.type, body: change(path, resource.body) }
    }
  }

  test('behavior: every log that grows is accepted, and every changed bit is found', { tags: 'slow' }, async () => {
    const growth = fc.array(fc.integer({ min: 1, max: 270 }), { minLength: 1, maxLength: 3 })
    const property = fc.asyncProperty(growth, fc.nat(), fc.nat(), async (steps, choice, bit) => {
      const log = createPublicLog()
      const honest = getFrom(log, (_, body) => body)
      const auditor = await createAuditor(honest, log.key)
      for (const step of steps) {
        for (let count = 0; count < step; count++) log.append(`entry ${log.entries.length} ${step}`)
        log.publish()
        const { size, root } = await auditor.audit()
        expect([size, root]).toEqual([log.size, rootOfCheckpoint(log)])
        await auditor.proveInclusion(choice % size)
      }
      const paths = await listReadPaths(log)
      for (const kind of [/^checkpoint$/, /^key$/, /^tile\/\d/, /^tile\/entries/]) {
        const candidates = paths.filter((path) => kind.test(path))
        const target = candidates[choice % candidates.length] as string
        const get = getFrom(log, (path, body) => (path === target ? flip(body, bit) : body))
        const audit = createAuditor(get, log.key).then((fresh) => fresh.audit())
        await expect(audit, target).rejects.toBeInstanceOf(Finding)
      }
    })
    await fc.assert(property, { numRuns: 20 })
  })

  test('behavior: a tree that is read by tiles has the roots and the entries of the other verifier', async () => {
    const log = createPublicLog()
    while (log.entries.length < 600) log.append(`entry ${log.entries.length}`)
    const hashes = log.entries.map((entry) => leafHash(entry))
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 600 }), fc.nat(), async (size, seed) => {
      log.publish(size)
      const get = getFrom(log, (_, body) => body)
      const read = async (path: string) => ({ bytes: (await get(path)).body })
      const tree = createVerifiedTree({ read }, { size, root: rootOfHashes(hashes.slice(0, size)) })
      const older = seed % (size + 1)
      expect(Buffer.from(await tree.rootAt(older))).toEqual(rootOfHashes(hashes.slice(0, older)))
      expect(await tree.includes(log.entries[seed % size] as Uint8Array, seed % size)).toBe(true)
    })
    await fc.assert(property, { numRuns: 50 })
    expect(log.size).toBeGreaterThan(0)
  })

  /** Lists what an audit reads. */
  async function listReadPaths(log: ReturnType<typeof createPublicLog>): Promise<readonly string[]> {
    const paths: string[] = []
    const get = getFrom(log, (path, body) => {
      paths.push(path)
      return body
    })
    await (await createAuditor(get, log.key)).audit()
    return paths
  }

  function rootOfCheckpoint(log: ReturnType<typeof createPublicLog>): Buffer {
    return Buffer.from(verifyCheckpoint(log.checkpoint, parseVerifierKey(log.key) as VerifierKey).root)
  }
})

test('behavior: the other verifier accepts a tree head of the Go checksum database, and no other', () => {
  const key = readKey('sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8')
  const note =
    'go.sum database tree\n6476701\nmb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk=\n\n— sum.golang.org Az3grsLX85Gz+s1SiTbgkuqxgItqFq7gsMUEyVnrsa9LM7Us9S+1xbFIGu95949rj4nPRYfvimWEPWL+o3GeoWwOoAw=\n'
  expect(readTreeHead(openNote(Buffer.from(note), key))).toMatchObject({
    origin: 'go.sum database tree',
    size: 6_476_701,
  })
  expect(() => openNote(Buffer.from(note.replace('6476701', '6476702')), key)).toThrow(Finding)
})
