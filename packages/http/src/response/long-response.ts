import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2'
import type { Writable } from 'node:stream'

const longStreams = new WeakSet<ServerHttp2Stream>()

/**
 * Removes the time limit of an HTTP/2 response, since HTTP/1.1 limits requests only. Returns what its body is written to: over
 * HTTP/1.1, Node's response would hold back each write until the end of the turn, and so all writes of a turn.
 */
export function allowLongResponse(response: ServerResponse): Writable {
  const { stream } = response as unknown as Partial<Http2ServerResponse>
  if (stream) longStreams.add(stream)
  return stream ?? (response.socket as Writable)
}

/** Returns whether the response of a stream may take longer than others. */
export function isLongResponse(stream: ServerHttp2Stream): boolean {
  return longStreams.has(stream)
}
