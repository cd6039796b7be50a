import { readChunks } from '@tallystick/base/pure'
import { MalformedAnswerError } from '../errors.ts'

// A page of 1,000 positions is less than 1 MB.
const textBytesMax = 32 * 1024 * 1024

/** Reads a response body as text. Throws if a streamed body exceeds 32 MiB, or the signal is aborted. */
export async function readText(response: Response, signal: AbortSignal): Promise<string> {
  // Some implementations of fetch have no streams.
  if (!response.body) return response.text()
  return new TextDecoder().decode(await readBytes(response, { bytesMax: textBytesMax, signal }))
}

/** Reads the bytes of a response body. Throws if a streamed body exceeds `bytesMax`, or the signal is aborted. */
export async function readBytes(
  response: Response,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (!response.body) return new Uint8Array(await response.arrayBuffer())
  const chunks = await readChunks(chunksOf(response.body, signal), { bytesMax, tooLarge: () => tooLarge(bytesMax) })
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/**
 * Iterates over a stream by its reader: not every browser can iterate over the stream itself. An abort cancels the stream,
 * which closes the connection, and throws the signal's reason. That is not left to `fetch`: the one of Node 20 loses the
 * abort in a garbage collection once the headers have arrived.
 */
export async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    await reader.cancel()
  }
}

function tooLarge(bytesMax: number): MalformedAnswerError {
  const message = `The response exceeds ${formatBytes(bytesMax)}. Request less at once.`
  return new MalformedAnswerError({ code: 'malformed_answer', message, retryable: false })
}

function formatBytes(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes} bytes`
}
