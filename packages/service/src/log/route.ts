import { quote } from '@tallystick/base'
import { type LogProof, type OpenapiParameter, periodAt, TallystickError } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { assertParameters, invalidParameter, type MemoryResponse, rememberAnswer, sendResponse } from '@tallystick/http'
import { findSetIndex, type RunningLog, readEntries, type StoredCheckpoint } from '@tallystick/public-log'
import { encodeBase64, formatVerifierKey, parseTilePath, proveInclusion, tileAt, tileWidth } from '@tallystick/tlog'
import type { RouteHandlerMethod } from 'fastify'
import { parseChainId } from '../notes/notes-query.ts'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, typescriptWith } from '../openapi/samples.ts'
import { queryParameters } from '../openapi/schemas.ts'
import type { Endpoint } from '../routing/document.ts'
import type { Route } from '../routing/route.ts'

type LogParts = {
  readonly log: Pick<RunningLog, 'publicLog' | 'readBundle' | 'publicSeconds'>
  readonly database: Queryable
}

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
      rememberAnswer(request, { recall: () => parts.log.publicLog.head(), respond: respondWithHead })
      return sendResponse(reply, respondWithHead(requireHead(parts.log)))
    }),
    route('/log/key', describeLogKey, async (request, reply) => {
      assertParameters(request.query as Record<string, unknown>, [])
      return reply.type('text/plain; charset=utf-8').send(`${formatVerifierKey(parts.log.publicLog.key)}\n`)
    }),
    route('/log/tile/*', describeTiles, async (request, reply) => {
      assertParameters(request.query as Record<string, unknown>, [])
      const bytes = await readTile(parts.log, (request.params as { readonly '*': string })['*'])
      return reply.header('cache-control', unchanging).type('application/octet-stream').send(Buffer.from(bytes))
    }),
    route('/log/proof', describeProof, async (request, reply) => {
      const nowSeconds = parts.log.publicSeconds()
      const { chainId, instant } = parseProofQuery(request.query as Record<string, unknown>, { chainIds, nowSeconds })
      const body = await prove(parts, { chainId, periodStart: periodAt(instant).start })
      return reply.header('cache-control', 'no-cache').send(body)
    }),
  ]
}

function respondWithHead({ note }: StoredCheckpoint): MemoryResponse {
  return { body: note, mediaType: 'text/plain', headers: { 'cache-control': 'no-cache' } }
}

function requireHead({ publicLog }: Pick<RunningLog, 'publicLog'>): StoredCheckpoint {
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

async function readTile(log: LogParts['log'], path: string): Promise<Uint8Array> {
  const tile = parseTilePath(`tile/${path}`)
  if (!tile) throw notFound('This is not the path of a tile. Tiles are at /log/tile/<level>/<index>[.p/<width>].')
  const { size } = requireHead(log)
  if (tile.width > tileAt(tile, size).width) throw notFound(`The log has ${size} entries and no such tile.`)
  if (tile.level !== 'entries') return log.publicLog.tree.readTile(tile)
  const { bundle, withheld } = await log.readBundle(tile)
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
  { log: { publicLog, publicSeconds }, database }: LogParts,
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

const access = 'It needs no key. Requests are limited per address.'
const about = `The public log has everything that the service signed: curves, notes and signers. It is a Merkle tree in the form of C2SP \`tlog-tiles\`. ${access}`

/** `GET /log/checkpoint`. */
const describeCheckpoint = describeGet(({ endpoint }) => ({
  operationId: 'getLogCheckpoint',
  summary: 'Signed state of the public log',
  description: `Returns the newest checkpoint: origin, number of entries and root of the tree, signed by the key of the log (C2SP \`tlog-checkpoint\`). ${about}`,
  ...textOf('A signed note.', endpoint),
}))

/** `GET /log/key`. */
const describeLogKey = describeGet(({ endpoint }) => ({
  operationId: 'getLogKey',
  summary: 'Verifier key of the public log',
  description: `Returns the public key that verifies checkpoints. Take the key from somewhere else too, such as the operator’s website: a key from the service itself proves only that the service agrees with itself. ${access}`,
  ...textOf('The key: `<name>+<id>+<base64>`.', endpoint),
}))

function textOf(response: string, { path }: Endpoint) {
  return {
    tag: 'Log',
    response,
    content: { 'text/plain': { schema: { type: 'string', description: response } } },
    codes: ['invalid_parameter', 'not_ready'],
    samples: [curl(`curl "$TALLYSTICK_URL${path}"`)],
  } as const
}

const tilePath: OpenapiParameter = {
  name: 'path',
  in: 'path',
  required: true,
  description:
    'Level, index and, for a partial tile, its width: `<level>/<index>` or `<level>/<index>.p/<width>`. The index is written in groups of three digits: 1234067 is `x001/x234/067`. Level `entries` has the entries themselves. [path]',
  schema: { type: 'string', 'x-unit': 'path', examples: ['entries/000.p/3'] },
}

/** `GET /log/tile/*`. */
const describeTiles = describeGet(() => ({
  operationId: 'getLogTile',
  tag: 'Log',
  summary: 'Tiles and entries of the public log',
  description: `Returns a tile of up to 256 hashes, or a bundle of up to 256 entries, each with its length in two bytes before it. Tiles and bundles never change. A bundle with an entry whose period has not begun is not served yet. ${about}`,
  parameters: [tilePath],
  response: 'The tile or bundle.',
  content: { 'application/octet-stream': { schema: { type: 'string', description: 'Bytes.' } } },
  codes: ['invalid_parameter', 'log_entries_withheld', 'not_ready'],
  samples: [curl('curl "$TALLYSTICK_URL/log/tile/entries/000.p/1"')],
}))

/** `GET /log/proof`. */
const describeProof = describeGet(({ context, chainId }) => ({
  operationId: 'getLogProof',
  tag: 'Log',
  summary: 'Proof that notes are in the public log',
  description: `Returns the entry of the notes of a chain and period, with the hashes that connect it to the checkpoint, for those who do not want to read tiles. A period that has not begun is not found. ${about}`,
  parameters: queryParameters('logProof', context),
  response: 'The entry and its proof.',
  content: jsonContent('LogProof', { proof: { summary: 'The first entry of a log', value: exampleProof } }),
  codes: ['invalid_chainid', 'invalid_parameter', 'not_ready'],
  samples: [
    curl(`curl "$TALLYSTICK_URL/log/proof?chainid=${chainId}"`),
    typescriptWith(
      ['verifyLogged'],
      `const { notes } = await client.notes({ chainId: ${chainId} })`,
      '// Compare the key with another source once, and keep it in your configuration.',
      `const key = await (await fetch(\`\${TALLYSTICK_URL}/log/key\`)).text()`,
      `for (const logged of await verifyLogged(notes, { log: \`\${TALLYSTICK_URL}/log\`, key })) {`,
      '  console.log(logged.index, logged.size, logged.origin)',
      '}',
    ),
  ],
}))

const exampleProof: LogProof = {
  message: 'Entry 0 of notes.example/log.',
  origin: 'notes.example/log',
  index: 0,
  size: 1,
  root: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
  leafHash: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
  hashes: [],
  entry: '{"v":1,"type":"notes","salt":"0f1e2d3c4b5a69788796a5b4c3d2e1f0"}',
  checkpoint: 'notes.example/log\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n— notes.example/log Gwa0…\n',
}
