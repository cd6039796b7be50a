import { Buffer } from 'node:buffer'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  createMerkleTree,
  createVerifierKey,
  encodeBundle,
  formatCheckpoint,
  formatSignedNote,
  formatVerifierKey,
  leafHash,
  type MerkleTree,
  parseTilePath,
  proveInclusion,
  rootOf,
  type Tile,
  tileAt,
  tileWidth,
} from '@tallystick/tlog'

/** A public log in memory (C2SP tlog-tiles), for tests. */
export type PublicLog = {
  readonly origin: string
  /** Verifier key in its text form. */
  readonly key: string
  /** Entries, published or not. */
  readonly entries: readonly Uint8Array[]
  /** Entries in the last checkpoint. */
  readonly size: number
  /** Last checkpoint, a signed note. */
  readonly checkpoint: string
  /** Appends an entry and returns its index. It is in the tree from the next `publish` on. */
  append(entry: string | Uint8Array, options?: { readonly isWithheld?: boolean }): number
  /** Makes the bytes of withheld entries public, by default those of all. */
  reveal(index?: number): void
  /** Signs a checkpoint, by default of all entries. A smaller size makes a checkpoint that goes back. */
  publish(size?: number): string
  /** Signs a checkpoint of any tree and returns it. */
  signCheckpoint(head: { readonly size: number; readonly root: Uint8Array }): string
  /** Returns a log with the same key and the first entries only. */
  fork(size: number): PublicLog
  /** Returns the resource at a path below the log's URL, such as `tile/0/000.p/3`, or why there is none. */
  read(path: string): Resource
}

export type Resource =
  | { readonly status: 200; readonly type: string; readonly body: Buffer; readonly isConstant?: boolean }
  | { readonly status: 400 | 404; readonly code: string }

type Signer = { readonly origin: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject }

/** Creates an empty log with a new key. Its first checkpoint is of size 0. */
export function createPublicLog({ origin = 'notes.example/log' }: { readonly origin?: string } = {}): PublicLog {
  return createLog({ origin, ...generateKeyPairSync('ed25519') })
}

function createLog(signer: Signer): PublicLog {
  const { origin, privateKey } = signer
  const publicKey = signer.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const key = createVerifierKey(origin, new Uint8Array(publicKey))
  const tree = createMerkleTree()
  const entries: Uint8Array[] = []
  const withheld = new Set<number>()
  let size = 0
  let checkpoint = ''
  const log: PublicLog = {
    origin,
    key: formatVerifierKey(key),
    entries,
    get size() {
      return size
    },
    get checkpoint() {
      return checkpoint
    },
    append: (entry, { isWithheld = false } = {}) => {
      const bytes = typeof entry === 'string' ? new Uint8Array(Buffer.from(entry)) : entry
      const index = entries.push(bytes) - 1
      tree.append(leafHash(bytes))
      if (isWithheld) withheld.add(index)
      return index
    },
    reveal: (index) => {
      if (index === undefined) withheld.clear()
      else withheld.delete(index)
    },
    publish: (newSize = entries.length) => {
      checkpoint = log.signCheckpoint({ size: newSize, root: rootOf(newSize, tree.readNode) })
      size = newSize
      return checkpoint
    },
    signCheckpoint: (head) => {
      const text = formatCheckpoint({ origin, ...head })
      return formatSignedNote(text, { key, signature: sign(null, Buffer.from(text), privateKey) })
    },
    fork: (forkSize) => {
      const fork = createLog(signer)
      for (const [index, entry] of entries.slice(0, forkSize).entries()) {
        fork.append(entry, { isWithheld: withheld.has(index) })
      }
      fork.publish()
      return fork
    },
    read: (path) => readResource({ ...log, size, checkpoint, withheld, tree }, path),
  }
  log.publish()
  return log
}

type LogState = Pick<PublicLog, 'origin' | 'key' | 'entries' | 'size' | 'checkpoint'> & {
  readonly withheld: ReadonlySet<number>
  readonly tree: MerkleTree
}

function readResource(log: LogState, path: string): Resource {
  if (path === 'checkpoint') return textOf(log.checkpoint)
  if (path === 'key') return textOf(`${log.key}\n`)
  if (path.startsWith('proof?')) return readProof(log, new URLSearchParams(path.slice('proof?'.length)))
  const tile = parseTilePath(path)
  if (!tile) return { status: path.startsWith('tile/') ? 400 : 404, code: 'not_found' }
  return readTile(log, tile)
}

function textOf(text: string): Resource {
  return { status: 200, type: 'text/plain; charset=utf-8', body: Buffer.from(text) }
}

function readTile({ size, entries, withheld, tree }: LogState, tile: Tile): Resource {
  if (tile.width > tileAt(tile, size).width) return { status: 404, code: 'not_found' }
  const common = { status: 200, type: 'application/octet-stream', isConstant: tile.width === tileWidth } as const
  if (tile.level !== 'entries') return { ...common, body: Buffer.from(tree.readTile(tile)) }
  const from = tile.index * tileWidth
  const to = from + tile.width
  const isWithheld = [...withheld].some((index) => index >= from && index < to)
  if (isWithheld) return { status: 404, code: 'log_entries_withheld' }
  return { ...common, body: Buffer.from(encodeBundle(entries.slice(from, to))) }
}

function readProof(log: LogState, parameters: URLSearchParams): Resource {
  const { entries, size, withheld } = log
  const chainid = parameters.get('chainid')
  const period = parameters.get('period') ?? ''
  const start = /^\d+$/.test(period) ? period : String(Date.parse(period) / 1000)
  const index = entries.findIndex((entry, at) => {
    if (at >= size || withheld.has(at)) return false
    const line = Buffer.from(entry).toString()
    return line.includes(`"chainid":"${chainid}"`) && line.includes(`"period":{"start":"${start}"`)
  })
  const entry = entries[index]
  if (!entry) return { status: 404, code: 'not_found' }
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  const body = {
    message: 'Inclusion of the notes in the log.',
    origin: log.origin,
    index,
    size,
    root: log.checkpoint.split('\n')[2],
    leafHash: base64(leafHash(entry)),
    hashes: proveInclusion(index, size, log.tree.readNode).map(base64),
    entry: Buffer.from(entry).toString(),
    checkpoint: log.checkpoint,
  }
  return { status: 200, type: 'application/json; charset=utf-8', body: Buffer.from(JSON.stringify(body)) }
}
