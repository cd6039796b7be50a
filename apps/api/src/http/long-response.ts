import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

const longResponse = Symbol('long response')

/** Removes the time limit of an HTTP/2 response. HTTP/1.1 limits requests only. */
export function allowLongResponse(response: ServerResponse): void {
  const { stream } = response as unknown as Partial<Http2ServerResponse>
  stream?.emit(longResponse)
}

/** Calls `listener` when the response of a stream may take longer than others. */
export function onLongResponse(stream: ServerHttp2Stream, listener: () => void): void {
  stream.once(longResponse, listener)
}
