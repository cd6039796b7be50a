import { createInterface } from 'node:readline'

/** The input ended, or Ctrl-C was pressed, before all questions were answered. */
export class InputEndedError extends Error {
  override readonly name = 'InputEndedError' as const
}

type PrompterOptions = {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly isTerminal: boolean
}

/** Reads answers line by line, from a terminal or from a pipe with one answer per line. */
export function createPrompter({ input, output, isTerminal }: PrompterOptions) {
  const reader = createInterface({ input, output, terminal: isTerminal })
  let isInterrupted = false
  let isClosed = false
  reader.on('close', () => {
    isClosed = true
  })
  reader.on('SIGINT', () => {
    isInterrupted = true
    reader.close()
  })
  // Keeps the lines that arrive before they are asked for.
  const lines = reader[Symbol.asyncIterator]()
  return {
    /** Prints a prompt and returns the next line of the input, without the spaces around it. */
    ask: async (prompt: string) => {
      // A pipe may have ended with answers that were not asked for yet. From Node 26 on, `prompt` then throws.
      if (isClosed) output.write(prompt)
      else {
        reader.setPrompt(prompt)
        reader.prompt()
      }
      const { value, done } = await lines.next()
      if (!done) return value.trim()
      output.write('\n')
      throw new InputEndedError(isInterrupted ? 'Interrupted.' : 'The input ended before the last question.')
    },
    close: () => reader.close(),
  }
}
