import {
  checkpointBytesMax,
  decodeBundle,
  decodeUtf8,
  entryBytesMax,
  formatTilePath,
  hashBytes,
  hashOfNode,
  type ReadNode,
  type Tile,
  type TreeNode,
  tileOf,
  tileWidth,
} from '@tallystick/tlog'
import { ClientError } from '../client-error.ts'
import type { Connection } from '../http/connection.ts'
import { requestBytes } from '../http/request-bytes.ts'
import { incomplete, invalid } from './log-failures.ts'

/** Reads the resources of a log. Nothing it returns is verified. */
export type LogReader = {
  readCheckpoint(): Promise<string>
  /** Returns the JSON of an inclusion proof, or undefined if there is none: a static copy of a log has no proofs. */
  findProof(query: string): Promise<string | undefined>
  /** Reads the tiles with these nodes of a tree, and returns what reads the nodes. */
  readNodes(nodes: readonly TreeNode[], size: number): Promise<ReadNode>
  /** Returns the entries of a bundle, or undefined if the log does not serve it. */
  findBundle(bundle: { readonly index: number; readonly width: number }): Promise<readonly Uint8Array[] | undefined>
}

// 32 sets with a proof and at most 14 tiles each, which they share for the most part.
const requestsMax = 512
// As many as browsers send to one host.
const requestsAtOnceMax = 6
// An entry as JSON text, where a character may be escaped, and up to 64 hashes.
const proofBytesMax = 1024 * 1024
const bundleBytesMax = tileWidth * (2 + entryBytesMax)

type Limits = { readonly bytesMax: number; readonly isConstant?: boolean }

/** Creates a reader for one verification. It requests each tile once, and not more than 512 resources. */
export function createLogReader(connection: Connection): LogReader {
  let requests = 0
  const lanes = Array.from({ length: requestsAtOnceMax }, () => Promise.resolve<unknown>(undefined))
  const request = (path: string, limits: Limits) => {
    const lane = requests % requestsAtOnceMax
    requests += 1
    const answer = (lanes[lane] as Promise<unknown>).then(() => {
      if (requests > requestsMax) throw incomplete(`The verification needs more than ${requestsMax} requests.`)
      return requestBytes(connection, { path: `/${path}`, ...limits })
    })
    lanes[lane] = answer.catch(() => undefined)
    return answer
  }
  const requested = new Map<string, Promise<Uint8Array | undefined>>()
  const findExactTile = (tile: Tile) => {
    const path = formatTilePath(tile)
    const bytesMax = tile.level === 'entries' ? bundleBytesMax : tileWidth * hashBytes
    const isConstant = tile.width === tileWidth
    const bytes = requested.get(path) ?? request(path, { bytesMax, isConstant }).catch(undefinedIfMissing)
    requested.set(path, bytes)
    return bytes
  }
  // A log may delete a partial tile when the full one exists.
  const findTile = async (tile: Tile) =>
    (await findExactTile(tile)) ?? (tile.width < tileWidth ? findExactTile({ ...tile, width: tileWidth }) : undefined)
  return {
    readCheckpoint: async () => decodeUtf8(await request('checkpoint', { bytesMax: checkpointBytesMax })),
    findProof: async (query) => {
      const found = await request(`proof?${query}`, { bytesMax: proofBytesMax }).catch(undefinedIfMissing)
      return found && decodeUtf8(found)
    },
    readNodes: async (nodes, size) => {
      const needed = new Map(nodes.map((node) => tileOf(node, size)).map((tile) => [formatTilePath(tile), tile]))
      const paths = [...needed.keys()]
      const bytes = await Promise.all([...needed.values()].map(async (tile) => checkTile(await findTile(tile), tile)))
      return (node) => hashOfNode(node, bytes[paths.indexOf(formatTilePath(tileOf(node, size)))] as Uint8Array)
    },
    findBundle: async ({ index, width }) => {
      const found = await findTile({ level: 'entries', index, width })
      const entries = found && decodeBundle(found)
      if (found && (!entries || entries.length < width)) throw invalid(`Bundle ${index} of the log is malformed.`)
      return entries?.slice(0, width)
    },
  }
}

// Hosts of static files may reject a query string, or respond with 403 for files that do not exist. A service rejects a
// chain that it does not have any more.
const statusesOfMissing: readonly (number | undefined)[] = [400, 403, 404, 405, 410]

/** Returns undefined for the error of a resource that does not exist. */
function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ClientError && statusesOfMissing.includes(error.status)) return undefined
  throw error
}

function checkTile(bytes: Uint8Array | undefined, tile: Tile): Uint8Array {
  const { width } = tile
  const path = formatTilePath(tile)
  if (!bytes) throw incomplete(`The log lacks ${path}, although its checkpoint includes it.`)
  const isWhole = [width, tileWidth].some((hashes) => bytes.length === hashes * hashBytes)
  if (!isWhole) throw invalid(`${path} of the log has ${bytes.length} bytes, not ${width * hashBytes}.`)
  return bytes.subarray(0, width * hashBytes)
}
