import { followPath, followProof, hashLeaf, hashNode, makePath, makeProof, rootOfHashes, splitAt } from './merkle.ts'
import { demand, type Key, openCheckpoint, readKey, type TreeHead } from './signed-note.ts'

// Part of a verifier that was written from the specifications alone. This file: C2SP tlog-tiles.

export type Answer = { readonly status: number; readonly type: string; readonly body: Buffer }
/** Fetches a resource by its path below the URL of the log. */
export type Get = (path: string) => Promise<Answer>

export type Auditor = {
  /**
   * Reads the checkpoint and everything it covers. Verifies the signature, every entry, every hash of every tile, and that
   * the log continues the tree of the last audit. Throws a `Finding`.
   */
  audit(): Promise<TreeHead>
  /** Proves by tiles that the tree of the last audit includes an entry. */
  proveInclusion(index: number): Promise<void>
  /** Proves by tiles that the tree of the last audit continues the tree of an older checkpoint. */
  proveConsistency(older: TreeHead): Promise<void>
  /** Entries of the last audit. */
  readonly entries: readonly Buffer[]
  /** Reads a tile of hashes again at the next audit. */
  forget(path: string): void
}

const hashSize = 32
const fullWidth = 256

/** Creates an auditor that knows the key of a log. It keeps full tiles and entries, because they never change. */
export async function createAuditor(get: Get, knownKey: string): Promise<Auditor> {
  const key = readKey(knownKey)
  const cached = new Map<string, Buffer>()
  const read = async (path: string) => {
    const body = cached.get(path) ?? (await readResource(get, path))
    if (!path.includes('.p/')) cached.set(path, body)
    return body
  }
  await compareKey(get, knownKey)
  const groups: Group[] = []
  let entries: readonly Buffer[] = []
  let head: TreeHead | undefined
  return {
    get entries() {
      return entries
    },
    audit: async () => {
      const shown = await readCheckpoint(get, key)
      const audited = await auditTree(read, { head: shown, groups })
      if (head) await checkConsistency(read, { older: head, newer: shown })
      head = shown
      entries = audited.flatMap((group) => group.entries)
      return shown
    },
    forget: (path) => void cached.delete(path),
    proveInclusion: async (index) => {
      demand(head !== undefined, 'there was no audit')
      const { size, root } = head
      const nodes = await readNodes(read, size)
      const path = makePath(index, [0, size], nodes)
      const found = followPath(hashLeaf(entries[index] as Buffer), { m: index, n: size, path })
      demand(found?.equals(root) === true, `entry ${index} is not included`)
    },
    proveConsistency: async (older) => {
      demand(head !== undefined, 'there was no audit')
      await checkConsistency(read, { older, newer: head })
    },
  }
}

async function compareKey(get: Get, knownKey: string): Promise<void> {
  const { status, body } = await get('key')
  demand(status === 200 && body.equals(Buffer.from(`${knownKey.trim()}\n`)), 'the log shows another key')
}

async function readCheckpoint(get: Get, key: Key): Promise<TreeHead> {
  const { status, type, body } = await get('checkpoint')
  demand(status === 200, `the checkpoint has status ${status}`)
  demand(/^text\/plain; *charset=utf-8$/i.test(type), `the checkpoint is served as ${type}`)
  return openCheckpoint(body, key)
}

async function readResource(get: Get, path: string): Promise<Buffer> {
  const { status, type, body } = await get(path)
  demand(status === 200, `${path} has status ${status}`)
  demand(type === 'application/octet-stream', `${path} is served as ${type}`)
  return body
}

type Read = (path: string) => Promise<Buffer>

/** Up to 256 entries with the root of their subtree. */
type Group = { readonly entries: readonly Buffer[]; readonly root: Buffer }

/** Compares all entries and tiles with each other and with the root. Returns the entries, and adds full groups to `groups`. */
async function auditTree(
  read: Read,
  { head: { size, root }, groups }: { readonly head: TreeHead; readonly groups: Group[] },
): Promise<readonly Group[]> {
  const fullCount = Math.floor(size / fullWidth)
  const wanted = Array.from({ length: Math.ceil(size / fullWidth) }, (_, index) => index)
  const audited = await Promise.all(wanted.map(async (index) => groups[index] ?? auditGroup(read, { index, size })))
  groups.splice(0, groups.length, ...audited.slice(0, fullCount))
  // Only full tiles have a hash in the level above.
  let hashes = groups.map((group) => group.root)
  for (let level = 1; hashes.length > 0; level++) {
    const tiles = await Promise.all(tilesOf(hashes.length, level).map(({ path }) => read(path)))
    demand(Buffer.concat(tiles).equals(Buffer.concat(hashes)), `a tile of level ${level} is wrong`)
    hashes = Array.from({ length: Math.floor(hashes.length / fullWidth) }, (_, at) =>
      rootOfHashes(hashes.slice(at * fullWidth, (at + 1) * fullWidth)),
    )
  }
  // MTH splits a tree at powers of two, so above 256 leaves only between groups.
  const found = rootOfHashes(audited.map((group) => group.root))
  demand(found.equals(root), 'the root is not that of the entries')
  return audited
}

/** Compares a bundle with the tile of its hashes. */
async function auditGroup(
  read: Read,
  { index, size }: { readonly index: number; readonly size: number },
): Promise<Group> {
  const width = Math.min(fullWidth, size - index * fullWidth)
  const path = tilePath('entries', index, width)
  const entries = readBundle(await read(path))
  demand(entries.length === width, `${path} has ${entries.length} entries, not ${width}`)
  const hashes = entries.map(hashLeaf)
  const tile = await read(tilePath(0, index, width))
  demand(tile.equals(Buffer.concat(hashes)), `${path} does not have the hashes of its tile`)
  return { entries, root: rootOfHashes(hashes) }
}

/** Splits a bundle into its entries: each has its length before it, as a big-endian uint16. */
export function readBundle(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < bundle.length; ) {
    demand(at + 2 <= bundle.length, 'a bundle ends in a length')
    const end = at + 2 + bundle.readUInt16BE(at)
    demand(end <= bundle.length, 'a bundle ends in an entry')
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  return entries
}

type Place = { readonly path: string; readonly width: number }

/** Lists the tiles of a level with a number of hashes. The last one is partial unless it is full. */
function tilesOf(count: number, level: number | 'entries'): Place[] {
  return Array.from({ length: Math.ceil(count / fullWidth) }, (_, index) => {
    const width = Math.min(fullWidth, count - index * fullWidth)
    return { path: tilePath(level, index, width), width }
  })
}

/** Returns the path of a tile: index 1234067 is `x001/x234/067`. */
export function tilePath(level: number | 'entries', index: number, width: number): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0')
  const groups = digits.match(/.../g) as string[]
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${name}${width === fullWidth ? '' : `.p/${width}`}`
}

async function checkConsistency(
  read: Read,
  { older, newer }: { readonly older: TreeHead; readonly newer: TreeHead },
): Promise<void> {
  demand(older.size <= newer.size, `the log shrank from ${older.size} to ${newer.size} entries`)
  if (older.size === 0) return
  const nodes = await readNodes(read, newer.size)
  const proof = makeProof(older.size, newer.size, nodes)
  const roots = followProof(older.root, { m: older.size, n: newer.size, proof, isWhole: true })
  const isProven = roots?.old.equals(older.root) === true && roots.new.equals(newer.root)
  demand(isProven, `the tree of ${newer.size} entries does not continue that of ${older.size}`)
}

/** Reads all tiles of a tree, and returns what computes the hash of a range from the highest tiles. */
async function readNodes(read: Read, size: number) {
  const tiles = new Map<string, Buffer>()
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / fullWidth)) {
    for (const [index, { path }] of tilesOf(count, level).entries()) tiles.set(`${level} ${index}`, await read(path))
  }
  const hashOf = (from: number, to: number): Buffer => {
    const n = to - from
    for (let level = 0; fullWidth ** level <= n; level++) {
      if (fullWidth ** level !== n || from % n !== 0) continue
      const at = from / n
      const tile = tiles.get(`${level} ${Math.floor(at / fullWidth)}`) as Buffer
      return tile.subarray((at % fullWidth) * hashSize, ((at % fullWidth) + 1) * hashSize)
    }
    const k = splitAt(n)
    return hashNode(hashOf(from, from + k), hashOf(from + k, to))
  }
  return hashOf
}

/** Verifies the JSON of `GET /log/proof` with nothing but the key of the log. Returns the entry. */
export function verifyProof(body: Buffer, knownKey: string): { readonly index: number; readonly entry: string } {
  const proof = JSON.parse(body.toString())
  const { origin, size, root } = openCheckpoint(Buffer.from(proof.checkpoint), readKey(knownKey))
  const leaf = hashLeaf(Buffer.from(proof.entry))
  demand(proof.origin === origin && proof.size === size, 'the proof is of another checkpoint')
  demand(proof.root === root.toString('base64') && proof.leafHash === leaf.toString('base64'), 'a hash is wrong')
  demand(Number.isInteger(proof.index) && proof.index >= 0 && proof.index < size, 'there is no such entry')
  const path = (proof.hashes as string[]).map((hash) => Buffer.from(hash, 'base64'))
  const isCanonical = path.every((hash, at) => hash.length === hashSize && hash.toString('base64') === proof.hashes[at])
  demand(isCanonical, 'a hash of the proof is malformed')
  const found = followPath(leaf, { m: proof.index, n: size, path })
  demand(found?.equals(root) === true, 'the entry is not included')
  return { index: proof.index, entry: proof.entry }
}
