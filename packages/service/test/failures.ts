import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { UpstreamFailure } from '@tallystick/gateway'

/** Failure of an upstream, and how it must be reported. */
export type Failure = {
  /** Expected failure. */
  readonly failure: UpstreamFailure | 'query_rejected'
  readonly retryAfterSeconds?: number
} & (
  | {
      readonly respond: (response: ServerResponse, request: IncomingMessage) => void
      readonly tls?: Tls
      readonly plainForTls?: true
    }
  | { readonly onConnection: (socket: Socket) => void }
  | { readonly url: string }
  | { readonly nothingListens: true }
)

export type Tls = 'self-signed' | 'unknown authority' | 'wrong host' | 'expired'

const json = { 'content-type': 'application/json' }
const respondWith =
  (status: number, headers: Readonly<Record<string, string>>, body: string) => (response: ServerResponse) =>
    response.writeHead(status, headers).end(body)
const respondJson = (value: unknown) => respondWith(200, json, JSON.stringify(value))
const respondErrors = (...messages: readonly string[]) =>
  respondJson({ errors: messages.map((message) => ({ message })) })
const html = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'
const answerHead = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString()
/** Both headers come from one reading of the clock, because a second may pass between two readings. */
const inThirtySeconds = (nowMs = Date.now()) => ({
  'retry-after': new Date(nowMs + 30_000).toUTCString(),
  date: new Date(nowMs).toUTCString(),
})

/** Runs an action instead of a response when a request arrives. */
const afterRequest = (act: (socket: Socket) => void) => (socket: Socket) => void socket.once('data', () => act(socket))

/** Writes single bytes without end. */
function drip(response: ServerResponse): void {
  response.writeHead(200, json)
  response.write('{"data":{"positions":"')
  const timer = setInterval(() => response.write('x'), 20)
  response.once('close', () => clearInterval(timer))
}

function floodWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, json)
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}

const connectionFailures = {
  'nothing listens': { failure: 'refused', nothingListens: true },
  'the host does not exist': { failure: 'dns', url: 'http://nothing.invalid' },
  'a self-signed certificate': { failure: 'tls', tls: 'self-signed', respond: respondJson({ data: {} }) },
  'a certificate of an unknown authority': { failure: 'tls', tls: 'unknown authority', respond: respondJson({}) },
  'a certificate of another host': { failure: 'tls', tls: 'wrong host', respond: respondJson({ data: {} }) },
  'an expired certificate': { failure: 'tls', tls: 'expired', respond: respondJson({ data: {} }) },
  'reset before any byte': { failure: 'reset', onConnection: afterRequest((socket) => socket.resetAndDestroy()) },
  'closed before any byte': { failure: 'reset', onConnection: afterRequest((socket) => socket.end()) },
  'reset inside the headers': {
    failure: 'reset',
    onConnection: afterRequest((socket) => socket.write(answerHead, () => socket.resetAndDestroy())),
  },
  'reset inside the body': {
    failure: 'reset',
    onConnection: afterRequest((socket) => {
      socket.write(`${answerHead}content-length: 100\r\n\r\n{"data":`)
      // Linux reports data and a reset that arrive together as a close, so the client, which is in this process, reads first.
      setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 50)
    }),
  },
  'closed inside the body': {
    failure: 'truncated',
    onConnection: afterRequest((socket) => socket.end(`${answerHead}content-length: 100\r\n\r\n{"data":`)),
  },
  'closed inside a body that was to close': {
    failure: 'truncated',
    onConnection: afterRequest((socket) =>
      socket.end(`${answerHead}connection: close\r\ncontent-length: 100\r\n\r\n{"data":`),
    ),
  },
  'closed inside a chunk': {
    failure: 'truncated',
    onConnection: afterRequest((socket) => socket.end(`${answerHead}transfer-encoding: chunked\r\n\r\n40\r\n{"data":`)),
  },
  'closed inside a chunk of a body that was to close': {
    failure: 'truncated',
    onConnection: afterRequest((socket) =>
      socket.end(`${answerHead}connection: close\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"data":`),
    ),
  },
  'an invalid chunk': {
    failure: 'malformed',
    onConnection: afterRequest((socket) => socket.end(`${answerHead}transfer-encoding: chunked\r\n\r\nxyz\r\n{}`)),
  },
  'plain HTTP where TLS should be': { failure: 'tls', plainForTls: true, respond: respondJson({ data: {} }) },
  'a response that is not HTTP': {
    failure: 'malformed',
    onConnection: afterRequest((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  },
  'endless headers': {
    failure: 'malformed',
    onConnection: afterRequest((socket) => socket.end(`${answerHead}x-long: ${'x'.repeat(100_000)}\r\n\r\n{}`)),
  },
  'silence after the connection': { failure: 'slow_headers', onConnection: (socket) => socket.resume() },
  'silence after the request': { failure: 'slow_headers', respond: () => undefined },
  'headers and then silence': {
    failure: 'slow_body',
    respond: (response) => response.writeHead(200, json).flushHeaders(),
  },
  'a body sent byte by byte': { failure: 'slow_body', respond: drip },
} as const satisfies Readonly<Record<string, Failure>>

const statusFailures = {
  'status 400 without GraphQL': { failure: 'http_status', respond: respondWith(400, json, '{"error":"no body"}') },
  'status 400 with GraphQL errors': {
    failure: 'query_rejected',
    respond: respondWith(400, { 'content-type': 'application/graphql-response+json' }, '{"errors":[{"message":"no"}]}'),
  },
  'status 401': { failure: 'unauthorized', respond: respondWith(401, {}, '') },
  'status 403, as ours without HTTPS': {
    failure: 'unauthorized',
    respond: respondWith(403, json, '{"message":"Use HTTPS.","code":"https_required","requestId":"1"}'),
  },
  'status 404, as ours of another chain': {
    failure: 'not_found',
    respond: respondWith(404, json, '{"message":"There is no embedded subgraph","code":"not_found","requestId":"1"}'),
  },
  'status 413': { failure: 'http_status', respond: respondWith(413, {}, '') },
  'status 429 with seconds': {
    failure: 'busy',
    retryAfterSeconds: 7,
    respond: respondWith(429, { ...json, 'retry-after': '7' }, '{"message":"Too many","code":"rate_limited"}'),
  },
  'status 429 with a date': {
    failure: 'busy',
    retryAfterSeconds: 30,
    respond: (response) => response.writeHead(429, inThirtySeconds()).end(),
  },
  'status 429 with a date far off': {
    failure: 'busy',
    retryAfterSeconds: 120,
    respond: (response) => response.writeHead(429, { 'retry-after': inAnHour() }).end(),
  },
  'status 429 with far too many seconds': {
    failure: 'busy',
    retryAfterSeconds: 120,
    respond: respondWith(429, { 'retry-after': '9'.repeat(400) }, ''),
  },
  'status 429 with garbage': {
    failure: 'busy',
    retryAfterSeconds: 1,
    respond: respondWith(429, { 'retry-after': 'soon' }, ''),
  },
  'status 429 with nothing': { failure: 'busy', retryAfterSeconds: 1, respond: respondWith(429, {}, '') },
  'status 500': { failure: 'http_status', respond: respondWith(500, {}, 'Internal Server Error') },
  'status 502 with HTML': { failure: 'http_status', respond: respondWith(502, { 'content-type': 'text/html' }, html) },
  'status 503 with Retry-After': {
    failure: 'http_status',
    retryAfterSeconds: 3,
    respond: respondWith(503, { 'retry-after': '3' }, ''),
  },
  'status 504': { failure: 'http_status', respond: respondWith(504, {}, '') },
  'status 500 with GraphQL errors': {
    failure: 'http_status',
    respond: respondWith(500, json, '{"errors":[{"message":"Oops"}]}'),
  },
  'a redirect': { failure: 'http_status', respond: respondWith(307, { location: 'http://127.0.0.1:9/' }, '') },
  'status 204': { failure: 'not_json', respond: (response) => response.writeHead(204).end() },
} as const satisfies Readonly<Record<string, Failure>>

const bodyFailures = {
  'HTML with status 200': { failure: 'not_json', respond: respondWith(200, { 'content-type': 'text/html' }, html) },
  'HTML declared as JSON': { failure: 'not_json', respond: respondWith(200, json, html) },
  'an empty body': { failure: 'not_json', respond: respondWith(200, json, '') },
  'gzip that was not requested': {
    failure: 'not_json',
    respond: respondWith(200, { ...json, 'content-encoding': 'gzip' }, '\u001f\u008b\b'),
  },
  'JSON of 10,000 levels': {
    failure: 'not_json',
    respond: respondWith(200, json, `{"data":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`),
  },
  'JSON that ends in an object': { failure: 'truncated', respond: respondWith(200, json, '{"data":{"a":[{"id":"1"}') },
  'JSON that ends in a string': { failure: 'truncated', respond: respondWith(200, json, '{"data":{"a":"0x') },
  'JSON declared as text': {
    failure: 'wrong_type',
    respond: respondWith(200, { 'content-type': 'text/plain' }, '{"data":{"a":1}}'),
  },
  'JSON without a content type': { failure: 'wrong_type', respond: respondWith(200, {}, '{"data":{"a":1}}') },
  'an answer longer than allowed, announced': {
    failure: 'too_large',
    respond: respondJson({ data: { a: 'x'.repeat(2_000_000) } }),
  },
  'an endless answer': { failure: 'too_large', respond: floodWithoutEnd },
  null: { failure: 'malformed', respond: respondJson(null) },
  'a list': { failure: 'malformed', respond: respondJson([{ data: {} }]) },
  'a number': { failure: 'malformed', respond: respondJson(1) },
  'an empty object': { failure: 'malformed', respond: respondJson({}) },
  'data that is null': { failure: 'malformed', respond: respondJson({ data: null }) },
  'data that is a list': { failure: 'malformed', respond: respondJson({ data: [] }) },
  'data that is a string': { failure: 'malformed', respond: respondJson({ data: 'x' }) },
  'an empty list of errors': { failure: 'malformed', respond: respondJson({ data: null, errors: [] }) },
  'errors without a message': { failure: 'malformed', respond: respondJson({ errors: [{}] }) },
  'an unknown path of graph-node': { failure: 'not_found', respond: respondJson({ message: 'Not found' }) },
} as const satisfies Readonly<Record<string, Failure>>

const graphFailures = {
  'gateway: auth error': { failure: 'unauthorized', respond: respondErrors('auth error: API key not found') },
  'gateway: bad query': { failure: 'query_rejected', respond: respondErrors('bad query: failed to parse') },
  'gateway: subgraph not found': { failure: 'not_found', respond: respondErrors('subgraph not found: Qm1') },
  'gateway: no indexers': { failure: 'no_indexers', respond: respondErrors('no indexers found') },
  'gateway: bad indexers': {
    failure: 'bad_indexers',
    respond: respondErrors('bad indexers: {0xabc: Timeout, 0xdef: BadResponse(500)}'),
  },
  'gateway: indexers too far behind': {
    failure: 'behind',
    respond: respondErrors('bad indexers: {0xabc: Unavailable(too far behind)}'),
  },
  'gateway: indexers without the block': {
    failure: 'behind',
    respond: respondErrors('bad indexers: {0xabc: Unavailable(missing block: 12, latest: 11)}'),
  },
  'gateway: internal error': { failure: 'internal', respond: respondErrors('internal error: kafka') },
  'graph-node: validation': {
    failure: 'query_rejected',
    respond: respondErrors('Type `Query` has no field `nope`', 'Type `Query` has no field `neither`'),
  },
  'graph-node: not indexed yet': {
    failure: 'behind',
    respond: respondErrors(
      'Failed to decode `block.number` value: `subgraph QmX has only indexed up to block number 5 and data for block number 9 is therefore not yet available`',
    ),
  },
  'graph-node: timeout': { failure: 'slow_query', respond: respondErrors('Query timed out') },
  'graph-node: store error': { failure: 'internal', respond: respondErrors('Store error: connection refused') },
  'graph-node: indexing error': {
    failure: 'internal',
    respond: respondJson({ data: {}, errors: [{ message: 'indexing_error' }] }),
  },
  'graph-node: throttled': { failure: 'busy', respond: respondErrors('service is overloaded and can not run it') },
  'graph-node: unknown deployment': { failure: 'not_found', respond: respondErrors('deployment `x` does not exist') },
  'ours: internal error': {
    failure: 'internal',
    respond: respondJson({
      errors: [{ message: 'Store error: internal error', extensions: { code: 'internal_error' } }],
    }),
  },
  'ours: no database': {
    failure: 'internal',
    respond: respondJson({ errors: [{ message: 'Store error: …', extensions: { code: 'database_unavailable' } }] }),
  },
  'ours: timeout': {
    failure: 'slow_query',
    respond: respondJson({ errors: [{ message: 'Query timed out', extensions: { code: 'query_timeout' } }] }),
  },
} as const satisfies Readonly<Record<string, Failure>>

/** All failures by name. */
export const failures: Readonly<Record<FailureName, Failure>> = {
  ...connectionFailures,
  ...statusFailures,
  ...bodyFailures,
  ...graphFailures,
}
export type FailureName =
  | keyof typeof connectionFailures
  | keyof typeof statusFailures
  | keyof typeof bodyFailures
  | keyof typeof graphFailures
export const failureNames = Object.keys(failures) as readonly FailureName[]
