import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { type ErrorBody, type ErrorCode, TallystickError } from '@tallystick/core'
import { adminUrlOf, type Operator, readReference } from '@tallystick/service'
import type { ConfigSource } from '../terminal/terminal.ts'
import { nameUser } from './name-user.ts'

const probeTimeoutMs = 2_000
const callTimeoutMs = 30_000

/**
 * Runs an operator's command through the admin listener of a running server, or directly on the database if no server
 * runs. Only one process can open the embedded database, so a running server must be used.
 */
export async function runWithOperator<Result>(
  source: ConfigSource,
  { access, work }: { readonly access: 'read' | 'write'; readonly work: (operator: Operator) => Promise<Result> },
): Promise<Result> {
  const address = readAdminAddress(source)
  const call = address && (await findServer(address))
  if (call) return work(createRemoteOperator(call))
  // Imported here because a command that uses a server needs none of it, and it takes longer to load than that runs.
  const { runOnDatabase } = await import('./run-on-database.ts')
  return runOnDatabase(source, { access, work })
}

type Call = <Result>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Result>

function createRemoteOperator(call: Call): Operator {
  return {
    createKey: (request) => call('POST', '/keys', request),
    listKeys: () => call('GET', '/keys'),
    showKey: (id) => call('GET', `/keys/${encodeURIComponent(id)}`),
    showStatus: () => call('GET', '/status'),
    showUsage: (days) => call('GET', days === undefined ? '/keys/usage' : `/keys/usage?days=${days}`),
    revokeKey: (id, request) => call('POST', `/keys/${encodeURIComponent(id)}/revoke`, request),
    updateKey: (id, request) => call('POST', `/keys/${encodeURIComponent(id)}/update`, request),
    rotateKey: (id, request) => call('POST', `/keys/${encodeURIComponent(id)}/rotate`, request),
    showCurve: () => call('GET', '/curve'),
    setCurve: (request) => call('POST', '/curve', request),
    previewCurve: (request) => call('POST', '/curve/preview', request),
    approveCurve: (id) => call('POST', `/curve/proposals/${encodeURIComponent(id)}/approve`),
    showNotes: () => call('GET', '/notes'),
    discardNotes: (request) => call('POST', '/notes/discard', request),
    reconcileNotes: () => call('POST', '/notes/reconcile'),
    addHook: (request) => call('POST', '/hooks', request),
    listHooks: () => call('GET', '/hooks'),
    testHook: (id) => call('POST', `/hooks/${encodeURIComponent(id)}/test`),
    removeHook: (id) => call('POST', `/hooks/${encodeURIComponent(id)}/remove`),
    rotateHook: (id, request) => call('POST', `/hooks/${encodeURIComponent(id)}/rotate`, request),
    enableHook: (id) => call('POST', `/hooks/${encodeURIComponent(id)}/enable`),
    listDeliveries: (id, limit) =>
      call('GET', `/hooks/${encodeURIComponent(id)}/deliveries${limit === undefined ? '' : `?limit=${limit}`}`),
    showDelivery: (id, event) => call('GET', deliveryPath(id, event)),
    resendDelivery: (id, event) => call('POST', `${deliveryPath(id, event)}/resend`),
    showAudit: (limit, filter = {}) => {
      const given = Object.entries({ limit, ...filter }).filter(([, value]) => value !== undefined)
      const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
      return call('GET', given.length === 0 ? '/audit' : `/audit?${query}`)
    },
    checkAudit: () => call('GET', '/audit/check'),
    showLog: () => call('GET', '/log'),
    showIndex: () => call('GET', '/index'),
    rebuildIndex: (request) => call('POST', '/index/rebuild', request),
    checkIndex: (request) => call('POST', '/index/check', request),
  }
}

function deliveryPath(id: string, event: string): string {
  return `/hooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(event)}`
}

/** Returns a function that calls the admin listener, or undefined if nothing listens. */
async function findServer({ url, token }: AdminAddress): Promise<Call | undefined> {
  const call = createCall(url, token)
  try {
    await call('GET', '/healthz', undefined, probeTimeoutMs)
    return <Result>(...request: Parameters<Call>) =>
      call<Result>(...request).catch((error) =>
        Promise.reject(error instanceof NotListeningError ? stopped(url) : error),
      )
  } catch (error) {
    if (error instanceof NotListeningError) return undefined
    throw error
  }
}

class NotListeningError extends Error {
  override readonly name = 'NotListeningError' as const
}

function createCall(url: string, token: string) {
  return async <Result>(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    timeoutMs: number = callTimeoutMs,
  ): Promise<Result> => {
    const response = await requestText(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'tallystick-by': encodeURIComponent(`${nameUser()}@${hostname()}`),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs,
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') throw new NotListeningError()
      throw unreachable(url, error.code ?? error.name)
    })
    const answer = parseJson(response.text)
    if (response.status >= 200 && response.status < 300 && answer !== undefined) return answer as Result
    throw toError(answer as Partial<ErrorBody> | undefined, { url, status: response.status })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toError(
  body: Partial<ErrorBody> | undefined,
  { url, status }: { readonly url: string; readonly status: number },
): TallystickError {
  if (!body?.code || !body.message) return unreachable(url, `status ${status}`)
  const hint =
    body.code === 'unauthorized'
      ? ' Check that the variable or file of admin.token is set here too, or that TALLYSTICK_ADMIN_TOKEN is correct.'
      : ''
  return new TallystickError({
    code: body.code as ErrorCode,
    message: body.message + hint,
    retryable: status >= 500,
    details: body.details,
  })
}

function stopped(url: string): TallystickError {
  const message = `The service on ${url} has stopped.`
  return new TallystickError({ code: 'server_unreachable', message, retryable: true })
}

function unreachable(url: string, why: string): TallystickError {
  return new TallystickError({
    code: 'server_unreachable',
    message: `A process listens on ${url} but does not respond like the admin listener (${why}). Check "admin" in the configuration.`,
    retryable: true,
  })
}

type AdminAddress = { readonly url: string; readonly token: string }

/**
 * Reads where the admin listener of a configuration is, and the token for it, without the schema of the configuration:
 * loading that takes longer than all else that a command does through a server. Returns undefined if anything is unusual.
 * The schema then finds and names the fault.
 */
function readAdminAddress({ path, env }: ConfigSource): AdminAddress | undefined {
  try {
    const { admin } = JSON.parse(readFileSync(path, 'utf8')) as { readonly admin: Readonly<Record<string, unknown>> }
    const { host = '127.0.0.1', port = 9464, token, tokens = [] } = admin
    if (typeof host !== 'string' || host === '' || !Number.isInteger(port) || Number(port) > 65_535) return undefined
    const named = tokens as readonly { readonly token: string; readonly roles: readonly string[] }[]
    const references = [token, ...named.filter(({ roles }) => roles.includes('all')).map((own) => own.token)]
    const sources = { env, baseDirectory: dirname(resolve(path)) }
    const found = references.flatMap((reference) => readReference(String(reference ?? ''), sources)?.value ?? [])
    return { url: adminUrlOf({ host, port: Number(port) }), token: env['TALLYSTICK_ADMIN_TOKEN'] || (found[0] ?? '') }
  } catch {
    return undefined
  }
}

type RequestTextOptions = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly timeoutMs: number
}

/** Sends an HTTP request without following redirects. Unlike `fetch`, the modules for this are loaded with Node. */
function requestText(
  url: string,
  { method, headers, body, timeoutMs }: RequestTextOptions,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    // Without `agent: false` an idle connection would keep the process running.
    const outgoing = request(url, { method, headers, agent: false }, (incoming) => {
      const finish = (chunks: readonly Buffer[]) =>
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
      incoming.toArray().then(finish, reject)
    })
    const timer = setTimeout(
      () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    )
    outgoing.on('error', reject)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.end(body)
  })
}
