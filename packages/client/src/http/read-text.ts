import { readChunks } from '@tallystick/core/stream/read-chunks'
import { MalformedAnswerError } from '../errors.ts'

// A page of 1,000 positions is less than 1 MB.
const answerBytesMax = 32 * 1024 * 1024

/** Reads a response body. Throws if a streamed body exceeds 32 MiB. */
export async function readText(response: Response): Promise<string> {
  // Some implementations of fetch have no streams.
  if (!response.body) return response.text()
  const chunks = await readChunks(chunksOf(response.body), { bytesMax: answerBytesMax, tooLarge })
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
}

/** Iterates over a stream by its reader: not every browser can iterate over the stream itself. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

function tooLarge(): MalformedAnswerError {
  const message = `The response exceeds ${answerBytesMax / 1024 / 1024} MiB. Request less at once.`
  return new MalformedAnswerError({ code: 'malformed_answer', message, retryable: false })
}
