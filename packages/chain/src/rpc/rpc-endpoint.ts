import { setMaxListeners } from 'node:events'
import { redact } from '@tallystick/core/text/redact'
import { postJson } from './post-json.ts'
import { RpcError } from './rpc-error.ts'

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

export type RpcEndpoint = {
  /** For people: the host, nothing of the URL that may be a secret. */
  readonly label: string
  /** One call, and its result as the node sent it. */
  call(call: RpcCall): Promise<unknown>
  /** Many calls in few requests; the results are in the order of the calls. */
  callMany(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

export type RpcEndpointOptions = {
  readonly url: string
  readonly timeoutMs: number
  readonly answerBytesMax: number
  readonly signal: AbortSignal
}

// Some providers take no more in one request.
const batchMax = 50
const parallelMax = 8
// A server that refuses so many batches in a row takes none.
const refusalsMax = 3
// Of a failure that may be over at once, such as a kept connection that the other side had closed.
const attemptsMax = 3

/** A JSON-RPC server at a URL. Throws nothing but `RpcError`, and the signal's reason when that is aborted. */
export function createRpcEndpoint(options: RpcEndpointOptions): RpcEndpoint {
  // Every call under way listens to it, and more than ten of them are no leak.
  setMaxListeners(0, options.signal)
  const { href, headers, label, redact } = parseUrl(options.url)
  let refusals = 0
  const post = async (body: unknown) => {
    try {
      return await retry(() => postJson({ ...options, url: href, headers, body: JSON.stringify(body) }))
    } catch (error) {
      throw error instanceof RpcError ? new RpcError({ ...error, message: redact(error.message) }) : error
    }
  }
  const call = async ({ method, params }: RpcCall) =>
    readResult(await post({ jsonrpc: '2.0', id: 0, method, params }), { method, redact })
  const callOneByOne = async (calls: readonly RpcCall[]) => {
    const results: unknown[] = []
    for (let start = 0; start < calls.length; start += parallelMax) {
      results.push(...(await Promise.all(calls.slice(start, start + parallelMax).map(call))))
    }
    return results
  }
  const callBatch = async (calls: readonly RpcCall[]): Promise<readonly unknown[]> => {
    if (refusals >= refusalsMax || calls.length === 1) return callOneByOne(calls)
    try {
      const answer = await post(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
      const results = readResults(answer, { calls, redact })
      refusals = 0
      return results
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== 'refused') throw error
      refusals += 1
      return callOneByOne(calls)
    }
  }
  return {
    label,
    call,
    callMany: async (calls) => {
      const results: unknown[] = []
      for (let start = 0; start < calls.length; start += batchMax) {
        results.push(...(await callBatch(calls.slice(start, start + batchMax))))
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
      const isPassing = error instanceof RpcError && (error.kind === 'unreachable' || error.kind === 'garbage')
      if (!isPassing || attempt === attemptsMax) throw error
    }
  }
}

/** One answer to many calls is an error, and mostly about there being many. */
function readResults(
  answer: unknown,
  { calls, redact }: { readonly calls: readonly RpcCall[]; readonly redact: (message: string) => string },
): readonly unknown[] {
  if (!Array.isArray(answer)) {
    try {
      readResult(answer, { method: 'a batch', redact })
    } catch (error) {
      const isError = error instanceof RpcError && error.kind === 'error'
      throw isError ? new RpcError({ kind: 'refused', message: error.message }) : error
    }
    throw new RpcError({ kind: 'garbage', message: 'answered a batch with one result' })
  }
  const sorted = sortById(answer, calls.length)
  return calls.map(({ method }, id) => readResult(sorted[id], { method, redact }))
}

/** fetch refuses URLs with a user in them; keys are also in paths and queries. */
function parseUrl(text: string) {
  const url = new URL(text)
  const { username, password, host, pathname, search } = url
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const basic = Buffer.from(user).toString('base64')
  url.username = ''
  url.password = ''
  const secrets = [basic, username, password, ...pathname.split('/'), search.slice(1)]
  return {
    href: url.href,
    label: host,
    headers: {
      'content-type': 'application/json',
      ...(username || password ? { authorization: `Basic ${basic}` } : {}),
    },
    redact: (message: string) => redact(message, secrets),
  }
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
    throw new RpcError({ kind, message: `answered ${method} with the error "${message}"`, code, data: error.data })
  }
  if (result === undefined) throw new RpcError({ kind: 'garbage', message: `answered ${method} with no result` })
  return result
}

const messageLengthMax = 200

/** Codes and texts of the large providers; -32005 also stands for too many results, which is no reason to wait. */
function isRateLimit(code: unknown, message: string): boolean {
  return code === 429 || /rate limit|too many requests|request count|capacity|throughput/i.test(message)
}
