import { quote } from '@tallystick/base'
import { type LogProof, periodAt, TallystickError } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { assertParameters, invalidParameter } from '@tallystick/http'
import { findSetIndex, type RunningLog, readEntries, type StoredCheckpoint } from '@tallystick/public-log'
import { encodeBase64, formatVerifierKey, parseTilePath, proveInclusion, tileAt, tileWidth } from '@tallystick/tlog'
import type { RouteHandlerMethod } from 'fastify'
import { parseChainId } from '../notes/notes-query.ts'
import type { Route } from '../routing/route.ts'
import { describeCheckpoint, describeLogKey, describeProof, describeTiles } from './describe-log.ts'

export type LogParts = Pick<RunningLog, 'publicLog' | 'readBundle' | 'publicSeconds'> & { readonly database: Queryable }

const retryAfterSeconds = 5
const unchanging = 'public, max-age=31536000, immutable'

/** Creates the public paths of the log (DESIGN.md §3.5): checkpoint, key, tiles, entry bundles and proofs. */
export function createLogRoutes(parts: LogParts, chainIds: readonly number[]): readonly Route[] {
  const route = (url: string, describe: Route['describe'], handler: RouteHandlerMethod): Route => ({
    method: 'GET',
    url,
    openTo: 'any-origin',
    describe,
    handler,
  })
  return [
    route('/log/checkpoint', describeCheckpoint, async (request, reply) => {
      assertParameters(request.query as Record<string, unknown>, [])
      const { note } = requireHead(parts)
      return reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(note)
    }),
    route('/log/key', describeLogKey, async (request, reply) => {
      assertParameters(request.query as Record<string, unknown>, [])
      return reply.type('text/plain; charset=utf-8').send(`${formatVerifierKey(parts.publicLog.key)}\n`)
    }),
    route('/log/tile/*', describeTiles, async (request, reply) => {
      assertParameters(request.query as Record<string, unknown>, [])
      const bytes = await readTile(parts, (request.params as { readonly '*': string })['*'])
      return reply.header('cache-control', unchanging).type('application/octet-stream').send(Buffer.from(bytes))
    }),
    route('/log/proof', describeProof, async (request, reply) => {
      const nowSeconds = parts.publicSeconds()
      const { chainId, instant } = parseProofQuery(request.query as Record<string, unknown>, { chainIds, nowSeconds })
      const body = await prove(parts, { chainId, periodStart: periodAt(instant).start })
      return reply.header('cache-control', 'no-cache').send(body)
    }),
  ]
}

function requireHead({ publicLog }: Pick<LogParts, 'publicLog'>): StoredCheckpoint {
  const head = publicLog.head()
  if (head) return head
  throw new TallystickError({
    code: 'not_ready',
    message: publicLog.problem()
      ? 'The public log is not served, because the database does not have all of it. The operator has to restore it.'
      : `The public log has no entries yet. Retry in ${retryAfterSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds,
  })
}

async function readTile(parts: LogParts, path: string): Promise<Uint8Array> {
  const tile = parseTilePath(`tile/${path}`)
  if (!tile) throw notFound('This is not the path of a tile. Tiles are at /log/tile/<level>/<index>[.p/<width>].')
  const { size } = requireHead(parts)
  if (tile.width > tileAt(tile, size).width) throw notFound(`The log has ${size} entries and no such tile.`)
  if (tile.level !== 'entries') return parts.publicLog.tree.readTile(tile)
  const { bundle, withheld } = await parts.readBundle(tile)
  if (bundle) return bundle
  throw notFound(
    `Entry ${withheld.index} is not public before its period begins, and a bundle is served only if all its entries are. ` +
      `${withheld.index % tileWidth === 0 ? 'Retry later.' : `Up to ${withheld.index % tileWidth} entries of it are served.`}`,
    'log_entries_withheld',
  )
}

/** Parses the query string of `GET /log/proof`. `period` is any instant of the period, by default the current one. */
function parseProofQuery(
  query: Readonly<Record<string, unknown>>,
  { chainIds, nowSeconds }: { readonly chainIds: readonly number[]; readonly nowSeconds: bigint },
): { readonly chainId: number; readonly instant: bigint } {
  assertParameters(query, ['chainid', 'period'])
  const chainId = parseChainId(query['chainid'], chainIds)
  if (chainId === undefined) throw invalidParameter(`Give the chain as chainid. Supported: ${chainIds.join(', ')}.`)
  return { chainId, instant: parseInstant(query['period']) ?? nowSeconds }
}

// The calendar is computed for these years only.
const secondsMax = 253_402_300_799n

function parseInstant(value: unknown): bigint | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^(0|[1-9]\d{0,11})$/.test(value) && BigInt(value) <= secondsMax)
    return BigInt(value)
  const isIso =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(value)
  const ms = isIso ? Date.parse(value) : Number.NaN
  if (ms >= 0) return BigInt(Math.floor(ms / 1000))
  throw invalidParameter(
    `period ${quote(value)} is not an instant. Use Unix seconds or ISO 8601 with a time zone, such as 2026-11-15T23:00:00Z.`,
  )
}

async function prove(
  { publicLog, database, publicSeconds }: LogParts,
  { chainId, periodStart }: { readonly chainId: number; readonly periodStart: bigint },
): Promise<LogProof> {
  const { size, root, note } = requireHead({ publicLog })
  const index = periodStart <= publicSeconds() ? await findSetIndex(database, { chainId, periodStart }) : undefined
  const [entry] =
    index === undefined || index >= size ? [] : await readEntries(database, { from: index, to: index + 1 })
  if (!entry) throw notFound(`The log has no notes of chain ${chainId} for the period that begins at ${periodStart}.`)
  return {
    message: `Entry ${entry.index} of ${publicLog.key.name}.`,
    origin: publicLog.key.name,
    index: entry.index,
    size,
    root: encodeBase64(root),
    leafHash: encodeBase64(entry.leaf),
    hashes: proveInclusion(entry.index, size, publicLog.tree.readNode).map(encodeBase64),
    entry: entry.line,
    checkpoint: note,
  }
}

function notFound(message: string, code: 'not_found' | 'log_entries_withheld' = 'not_found'): TallystickError {
  return new TallystickError({ code, message, retryable: code !== 'not_found' })
}
