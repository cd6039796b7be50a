import { createInterface } from 'node:readline/promises'

/** Asks a yes-or-no question on a terminal. Any other answer, or the end of the input, is a no. */
export async function ask(
  question: string,
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
): Promise<boolean> {
  const terminal = createInterface({ input, output })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
