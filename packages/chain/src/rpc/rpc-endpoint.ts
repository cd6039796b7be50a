import { setMaxListeners } from 'node:events'
import { redact } from '@tallystick/base/pure'
import { type PostOptions, postJson } from './post-json.ts'
import { RpcError } from './rpc-error.ts'

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

export type RpcEndpoint = {
  /** Host for messages and logs. The rest of the URL may be a secret. */
  readonly label: string
  /** Tells two endpoints of one host apart. May contain secrets: never log it. */
  readonly url?: string | undefined
  /** Sends one call and returns its result as the node sent it. */
  call(call: RpcCall): Promise<unknown>
  /** Sends many calls in batches. The results are in the order of the calls. */
  callMany(calls: readonly RpcCall[], options?: CallManyOptions): Promise<readonly unknown[]>
}

type CallManyOptions = {
  /** Returns the node's error of a call as its result, an `RpcError`. By default the first one is thrown. */
  readonly keepErrors?: boolean | undefined
}

type RpcEndpointOptions = Omit<PostOptions, 'body'>

// Some providers accept no more calls in one request.
const batchMax = 50
const parallelMax = 8
// A server that rejects this many batches in a row does not support batches.
const refusalsMax = 3
// Retries a transient failure, such as a keep-alive connection that the server has closed.
const attemptsMax = 3

/** Creates a client of one JSON-RPC server. Its methods throw `RpcError`, or the signal's reason after an abort. */
export function createRpcEndpoint(options: RpcEndpointOptions): RpcEndpoint {
  // Every pending call adds a listener. More than ten are not a leak.
  setMaxListeners(0, options.signal)
  const { label, redact } = parseUrl(options.url)
  let refusals = 0
  const post = async (body: unknown) => {
    try {
      return await retry(() => postJson({ ...options, body: JSON.stringify(body) }))
    } catch (error) {
      throw error instanceof RpcError ? new RpcError({ ...error, message: redact(error.message) }) : error
    }
  }
  const call = async ({ method, params }: RpcCall) =>
    readResult(await post({ jsonrpc: '2.0', id: 0, method, params }), { method, redact })
  const callOneByOne = async (calls: readonly RpcCall[], { keepErrors }: CallManyOptions) => {
    const callOne = (one: RpcCall) => (keepErrors ? call(one).catch(keepError) : call(one))
    const results: unknown[] = []
    for (let start = 0; start < calls.length; start += parallelMax) {
      results.push(...(await Promise.all(calls.slice(start, start + parallelMax).map(callOne))))
    }
    return results
  }
  const callBatch = async (calls: readonly RpcCall[], options: CallManyOptions): Promise<readonly unknown[]> => {
    if (refusals >= refusalsMax || calls.length === 1) return callOneByOne(calls, options)
    try {
      const answer = await post(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
      const results = readResults(answer, { calls, redact, ...options })
      refusals = 0
      return results
    } catch (error) {
      if (!isRejected(error)) throw error
      const results = await callOneByOne(calls, options)
      // Not counted if the server rejects everything, for example because a key expired.
      refusals += 1
      return results
    }
  }
  return {
    label,
    url: options.url,
    call,
    callMany: async (calls, options = {}) => {
      const results: unknown[] = []
      for (let start = 0; start < calls.length; start += batchMax) {
        results.push(...(await callBatch(calls.slice(start, start + batchMax), options)))
      }
      return results
    },
  }
}

async function retry(post: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await post()
    } catch (error) {
      const isTransient = error instanceof RpcError && (error.kind === 'unreachable' || error.kind === 'malformed')
      if (!isTransient || isRejected(error) || attempt === attemptsMax) throw error
    }
  }
}

/** Returns whether the server rejects such a request. Servers and gateways without batches respond so to a batch. */
function isRejected(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false
  const { kind, status = 0 } = error
  return kind === 'refused' || (kind === 'unreachable' && status >= 400 && status < 500)
}

/** Reads the results of a batch. A single error or result instead of a list means that batches are not supported. */
function readResults(
  answer: unknown,
  {
    calls,
    redact,
    keepErrors,
  }: CallManyOptions & { readonly calls: readonly RpcCall[]; readonly redact: (message: string) => string },
): readonly unknown[] {
  if (!Array.isArray(answer)) {
    try {
      readResult(answer, { method: 'a batch', redact })
    } catch (error) {
      const isError = error instanceof RpcError && error.kind === 'error'
      throw isError ? new RpcError({ kind: 'refused', message: error.message }) : error
    }
    throw new RpcError({ kind: 'refused', message: 'responded to a batch with one result' })
  }
  const sorted = sortById(answer, calls.length)
  return calls.map(({ method }, id) => {
    try {
      return readResult(sorted[id], { method, redact })
    } catch (error) {
      if (keepErrors) return keepError(error)
      throw error
    }
  })
}

/** Returns an error that the node sent in response to a call. Throws every other error. */
function keepError(error: unknown): RpcError {
  if (error instanceof RpcError && error.kind === 'error') return error
  throw error
}

/** Redacts credentials, paths and queries. */
function parseUrl(text: string) {
  const { username, password, host, pathname, search } = new URL(text)
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const basic = Buffer.from(user).toString('base64')
  const secrets = [basic, username, password, ...pathname.split('/'), search.slice(1)]
  return { label: host, redact: (message: string) => redact(message, secrets) }
}

function sortById(answers: readonly unknown[], count: number): readonly unknown[] {
  const byId = new Map(answers.map((answer) => [(answer as { readonly id?: unknown } | null)?.id, answer]))
  return Array.from({ length: count }, (_, id) => byId.get(id))
}

type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }
}

function readResult(
  answer: unknown,
  { method, redact }: { readonly method: string; readonly redact: (message: string) => string },
): unknown {
  const { result, error } = (typeof answer === 'object' && answer !== null ? answer : {}) as Answer
  if (error) {
    const message = redact(String(error.message ?? 'no message')).slice(0, messageLengthMax)
    const kind = isRateLimit(error.code, message) ? 'busy' : 'error'
    const code = typeof error.code === 'number' ? error.code : undefined
    throw new RpcError({ kind, message: `responded to ${method} with error "${message}"`, code, data: error.data })
  }
  if (result === undefined)
    throw new RpcError({ kind: 'malformed', message: `responded to ${method} without a result` })
  return result
}

const messageLengthMax = 200

/** Recognizes the codes and messages of large providers. -32005 is not one: it also means too many results. */
function isRateLimit(code: unknown, message: string): boolean {
  return code === 429 || /rate limit|too many requests|request count|capacity|throughput/i.test(message)
}
