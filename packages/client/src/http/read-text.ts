import { MalformedAnswerError } from '../errors.ts'

// A page of a thousand positions is well under one megabyte.
const answerBytesMax = 32 * 1024 * 1024

/** The body of an answer, given up where it grows beyond all measure. */
export async function readText(response: Response): Promise<string> {
  // Some implementations of fetch have no streams.
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > answerBytesMax) {
      await reader.cancel()
      const message = `The answer is larger than ${answerBytesMax / 1024 / 1024} MiB. Ask for less at once.`
      throw new MalformedAnswerError({ code: 'malformed_answer', message, retryable: false })
    }
    text += decoder.decode(value, { stream: true })
  }
}
