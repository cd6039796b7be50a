import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

const longStreams = new WeakSet<ServerHttp2Stream>()

/** Removes the time limit of an HTTP/2 response. HTTP/1.1 limits requests only. */
export function allowLongResponse(response: ServerResponse): void {
  const { stream } = response as unknown as Partial<Http2ServerResponse>
  if (stream) longStreams.add(stream)
}

/** Returns whether the response of a stream may take longer than others. */
export function isLongResponse(stream: ServerHttp2Stream): boolean {
  return longStreams.has(stream)
}
