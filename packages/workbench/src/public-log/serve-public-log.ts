import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { startLocalServer } from '../start-local-server.ts'
import type { PublicLog, Resource } from './create-public-log.ts'

/** Faulty response to a request. */
export type LogFault =
  /** Changes one bit of the body. */
  | { readonly kind: 'flip'; readonly byte: number; readonly bit?: number }
  /** Replaces the body. */
  | { readonly kind: 'body'; readonly body: string | Uint8Array }
  | { readonly kind: 'status'; readonly status: number; readonly code?: string }
  /** Closes the connection after half of the body. */
  | { readonly kind: 'cut' }
  /** Sends half of the body, and nothing after it. */
  | { readonly kind: 'stall' }
  /** Sends bytes until the client closes the connection. */
  | { readonly kind: 'endless' }

export type PublicLogServer = {
  /** URL of the log, such as `http://127.0.0.1:1234/log`. */
  readonly url: string
  /** The log that is served. A test replaces it to show a fork. */
  log: PublicLog
  /** Returns the fault of a request by its path below the log's URL, such as `tile/entries/000.p/3`. */
  faultOf: (path: string) => LogFault | undefined
  /** Paths of all requests. */
  readonly requests: string[]
  close(): Promise<void>
}

/** Serves a log over HTTP, honestly or not. */
export async function servePublicLog(log: PublicLog): Promise<PublicLogServer> {
  const server = await startLocalServer(({ url = '' }, response) => {
    const path = url.replace(/^\/log\//, '')
    served.requests.push(path)
    response.setHeader('access-control-allow-origin', '*')
    const resource: Resource = url.startsWith('/log/') ? served.log.read(path) : { status: 404, code: 'not_found' }
    send(response, { resource, fault: served.faultOf(path) })
  })
  const served: PublicLogServer = {
    url: `${server.url}/log`,
    log,
    faultOf: () => undefined,
    requests: [],
    close: server.stop,
  }
  return served
}

type Answer = { readonly resource: Resource; readonly fault: LogFault | undefined }

function send(response: ServerResponse, { resource, fault }: Answer) {
  if (fault?.kind === 'status') return sendError(response, { code: 'internal_error', ...fault })
  if (fault?.kind === 'endless') return sendEndless(response)
  if (fault?.kind === 'body') return void response.end(fault.body)
  if (resource.status !== 200) return sendError(response, resource)
  const body = flipBit(resource.body, fault)
  response.setHeader('content-type', resource.type)
  response.setHeader('content-length', body.length)
  response.setHeader('cache-control', resource.isConstant ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (fault?.kind !== 'cut' && fault?.kind !== 'stall') return void response.end(body)
  response.write(body.subarray(0, body.length / 2), () => {
    if (fault.kind === 'cut') response.socket?.destroy()
  })
}

function flipBit(body: Buffer, fault: LogFault | undefined): Buffer {
  if (fault?.kind !== 'flip') return body
  const changed = Buffer.from(body)
  const at = fault.byte % changed.length
  changed[at] = (changed[at] as number) ^ (1 << (fault.bit ?? 0))
  return changed
}

function sendError(
  response: ServerResponse,
  { status, code }: { readonly status: number; readonly code: string },
): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify({ message: `Refused with ${code}.`, code, requestId: 'fake-1' }))
}

function sendEndless(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'a')
  const push = () => {
    while (!response.destroyed && response.write(chunk)) {}
  }
  response.on('drain', push)
  push()
}
