import { createPublicLog, type PublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { expect, test } from 'vitest'
import { verifyCheckpoint } from './checkpoint.ts'
import { findEntries, findOtherEntries } from './find-entries.ts'
import { type LogResource, type LogSource, MissingTileError, WrongTileError } from './log-source.ts'
import { createVerifiedTree } from './verified-tree.ts'
import { parseVerifierKey, type VerifierKey } from './verifier-key.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function fill(log: PublicLog, size: number): void {
  while (log.entries.length < size) log.append(`entry ${log.entries.length}`)
  log.publish()
}

function createLog(size: number): PublicLog {
  const log = createPublicLog()
  fill(log, size)
  return log
}

const headOf = (log: PublicLog) => verifyCheckpoint(log.checkpoint, parseVerifierKey(log.key) as VerifierKey)

type Change = (path: string, resource: LogResource) => LogResource

/** Reads a log without a server. `change` changes what it serves. */
function createSource(log: PublicLog, change: Change = (_, resource) => resource): LogSource & { paths: string[] } {
  const paths: string[] = []
  return {
    paths,
    read: async (path) => {
      paths.push(path)
      const resource = log.read(path)
      if (resource.status === 200) return change(path, { bytes: new Uint8Array(resource.body) })
      return change(path, { isWithheld: resource.code === 'log_entries_withheld' })
    },
  }
}

function open(log: PublicLog, change?: Change) {
  const source = createSource(log, change)
  return { source, tree: createVerifiedTree(source, headOf(log)), paths: source.paths }
}

function flip(bytes: Uint8Array, byte: number): Uint8Array {
  return bytes.with(byte % bytes.length, (bytes[byte % bytes.length] as number) ^ 1)
}

const sizes = [1, 2, 255, 256, 257, 511, 512, 513, 700]
const whole = createLog(700)

test.each(sizes)('default: the roots and entries of a tree of %i entries', async (size) => {
  const log = whole.fork(size)
  const { tree } = open(log)
  for (const smaller of [0, ...sizes.filter((other) => other <= size)]) {
    expect(hex(await tree.rootAt(smaller))).toBe(hex(headOf(whole.fork(smaller)).root))
  }
  for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
    expect(await tree.includes(log.entries[index] as Uint8Array, index)).toBe(true)
    expect(await tree.includes(Buffer.from('another'), index)).toBe(false)
  }
  expect(await tree.includes(log.entries[0] as Uint8Array, size)).toBe(false)
})

test('behavior: an empty tree has the root of nothing, and reads nothing', async () => {
  const { tree, paths } = open(createLog(0))
  expect(hex(await tree.rootAt(0))).toBe(hex(headOf(createLog(0)).root))
  expect(paths).toEqual([])
})

test('error: any changed bit of any tile is found, whatever is read', async () => {
  const reads = [0, 255, 256, 512, 699].flatMap((at) => [
    (tree: ReturnType<typeof createVerifiedTree>) => tree.rootAt(at),
    (tree: ReturnType<typeof createVerifiedTree>) => tree.includes(whole.entries[at] as Uint8Array, at),
  ])
  let found = 0
  for (const read of reads) {
    const { tree, paths } = open(whole)
    await read(tree)
    for (const changed of paths) {
      for (const byte of [0, 31, 32, 8_191]) {
        const { tree: other } = open(whole, (path, { bytes }) => ({
          bytes: bytes && path === changed ? flip(bytes, byte) : bytes,
        }))
        await expect(read(other), `${changed} ${byte}`).rejects.toBeInstanceOf(WrongTileError)
        found += 1
      }
    }
  }
  expect(found).toBeGreaterThan(80)
})

test('error: a tree with another root, and the tiles of a fork', async () => {
  const { size } = headOf(whole)
  const wrong = createVerifiedTree(createSource(whole), { size, root: new Uint8Array(32) })
  const error = await wrong.rootAt(3).catch((failure: unknown) => failure)
  expect(error).toMatchObject({ name: 'WrongTileError', path: 'The last tiles of 700 entries' })
  const fork = whole.fork(300)
  fork.append('another history')
  fill(fork, 700)
  const forked = createVerifiedTree(createSource(fork), headOf(whole))
  await expect(forked.includes(whole.entries[0] as Uint8Array, 0)).rejects.toBeInstanceOf(WrongTileError)
})

test('error: a tile that is missing, short or long', async () => {
  const log = whole.fork(300)
  const cases = { none: undefined, empty: 0, short: 44 * 32 - 1, long: 44 * 32 + 1, other: 45 * 32 }
  for (const [name, length] of Object.entries(cases)) {
    const { tree } = open(log, (path, { bytes }) => ({
      bytes:
        path.startsWith('tile/0/001') && bytes ? (length === undefined ? undefined : new Uint8Array(length)) : bytes,
    }))
    const expected = length === undefined ? MissingTileError : WrongTileError
    await expect(tree.rootAt(1), name).rejects.toBeInstanceOf(expected)
  }
})

test('behavior: a partial tile or bundle that was deleted is read from the full one', async () => {
  const log = whole.fork(300)
  const head = headOf(log)
  const source = createSource(whole, (path, resource) => (/^tile\/(0|entries)\/001\.p/.test(path) ? {} : resource))
  const tree = createVerifiedTree(source, head)
  expect(await tree.includes(log.entries[299] as Uint8Array, 299)).toBe(true)
  const entries = await findOtherEntries({ source, tree }, { index: 1, width: 44, known: 0 })
  expect(entries).toEqual(log.entries.slice(256))
})

test('behavior: each tile is read once, also at the same time, and again if it must be fresh or failed', async () => {
  let isBroken = true
  const { tree, paths } = open(whole, (path, resource) => (isBroken && path === 'tile/0/001' ? {} : resource))
  const entry = whole.entries[256] as Uint8Array
  await expect(tree.includes(entry, 256)).rejects.toBeInstanceOf(MissingTileError)
  isBroken = false
  await Promise.all([tree.includes(entry, 256), tree.includes(entry, 257), tree.rootAt(400)])
  expect(paths.toSorted()).toEqual(['tile/0/001', 'tile/0/001', 'tile/0/002.p/188', 'tile/1/000.p/2'])
  paths.length = 0
  await tree.readTile({ level: 0, index: 1, fresh: true })
  expect(paths).toEqual(['tile/0/001'])
})

test('behavior: a known edge is not read again', async () => {
  const { tree } = open(whole)
  const source = createSource(whole)
  const restored = createVerifiedTree(source, headOf(whole), await tree.readEdge())
  expect(hex(await restored.rootAt(700))).toBe(hex(headOf(whole).root))
  expect(source.paths).toEqual([])
})

test('error: a bundle of other entries, of fewer, and one that is cut', async () => {
  const log = whole.fork(3)
  const path = 'tile/entries/000.p/3'
  const fork = log.fork(2)
  fork.append('another third')
  fork.publish()
  const other = fork.read(path)
  const bodies = {
    'has another entry 2 than the tree': 'body' in other ? new Uint8Array(other.body) : undefined,
    'does not consist of 3 entries': Uint8Array.of(0, 1, 97),
  }
  for (const [message, bytes] of Object.entries(bodies)) {
    const failed = findEntries(
      open(log, (asked, resource) => (asked === path ? { bytes } : resource)),
      { index: 0, width: 3 },
    )
    await expect(failed).rejects.toThrow(`${path} ${message}.`)
  }
  const cut = open(log, (asked, resource) => (asked === path ? { bytes: Uint8Array.of(0, 9, 1) } : resource))
  await expect(findEntries(cut, { index: 0, width: 3 })).rejects.toBeInstanceOf(WrongTileError)
})

test('behavior: the widest part of a bundle that a log serves', async () => {
  const log = whole.fork(100)
  for (let count = 0; count < 20; count++) log.append(`withheld ${count}`, { isWithheld: true })
  log.publish()
  expect(await findEntries(open(log), { index: 0, width: 120 })).toEqual({ isWithheld: true })
  expect(await findOtherEntries(open(log), { index: 0, width: 120, known: 0 })).toEqual(log.entries.slice(0, 100))
  expect(await findOtherEntries(open(log), { index: 0, width: 120, known: 99 })).toHaveLength(100)
  const { paths, ...bounded } = open(log)
  expect(await findOtherEntries(bounded, { index: 0, width: 120, known: 110 })).toBeUndefined()
  // The full one, and 119 to 111.
  expect(paths).toHaveLength(10)
})
