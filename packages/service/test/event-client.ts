import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { secureContext, type TestService } from './harness.ts'

type ReceivedEvent = {
  readonly id: string | undefined
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
  readonly data: any
}

export type TestStream = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** Everything that was received. */
  readonly text: () => string
  readonly events: () => readonly ReceivedEvent[]
  /** Id of the last block that had one, with or without data. */
  readonly lastId: () => string | undefined
  /** Resolves when the service ends the stream. */
  readonly ended: Promise<void>
  readonly isEnded: () => boolean
  readonly body: Readable
  close(): void
}

type StreamOptions = { readonly key: string; readonly lastEventId?: string | undefined }

const agent = new Agent({ secureContext })

/** Opens `GET /events` over HTTP/1.1 and reads it. */
export async function openStream(service: TestService, path: string, options: StreamOptions): Promise<TestStream> {
  const request = httpsRequest(service.baseUrl + path, { headers: headersOf(options), agent })
  request.on('error', () => undefined)
  onTestFinished(() => void request.destroy())
  request.end()
  const [response] = await once(request, 'response')
  return collect(response, { status: response.statusCode, headers: response.headers, close: () => request.destroy() })
}

/** Opens `GET /events` over HTTP/2 and reads it. */
export async function openHttp2Stream(service: TestService, path: string, options: StreamOptions): Promise<TestStream> {
  const session = connectHttp2(service.baseUrl, { ca: service.ca })
  onTestFinished(() => session.destroy())
  session.on('error', () => undefined)
  const stream = session.request({ ':path': path, ...headersOf(options) })
  stream.on('error', () => undefined)
  const [headers] = await once(stream, 'response')
  return collect(stream, { status: Number(headers[':status']), headers, close: () => session.destroy() })
}

function headersOf({ key, lastEventId }: StreamOptions): Record<string, string> {
  return { 'x-api-key': key, accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) }
}

function collect(body: Readable, about: Pick<TestStream, 'status' | 'headers' | 'close'>): TestStream {
  const chunks: Buffer[] = []
  let isEnded = false
  body.on('data', (chunk: Buffer) => chunks.push(chunk))
  body.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => {
    body.once('close', () => {
      isEnded = true
      resolve()
    })
  })
  const text = () => Buffer.concat(chunks).toString('utf8')
  const blocks = () => text().split('\n\n').slice(0, -1).map(parseBlock)
  return {
    ...about,
    ...{ text, ended, body },
    isEnded: () => isEnded,
    events: () =>
      blocks().flatMap(({ id, event, data }) => (data === undefined ? [] : [{ id, event, data: JSON.parse(data) }])),
    lastId: () => blocks().findLast(({ id }) => id !== undefined)?.id,
  }
}

function parseBlock(block: string) {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
  return { id: fields.get('id'), event: fields.get('event') ?? 'message', data: fields.get('data') }
}
