import { SignerError } from '../signer.ts'

/**
 * Runs a request that a signal aborts. Throws `SignerError` after the time limit, even if the request ignores the signal:
 * the AWS SDK does while it looks for credentials.
 */
export async function withTimeout<Result>(
  run: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, name }: { readonly timeoutMs: number; readonly name: string },
): Promise<Result> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new SignerError({ failure: 'timeout', message: `${name} did not respond within ${timeoutMs} ms.` })
      // First, so that the race is decided before the aborted request fails.
      reject(error)
      controller.abort(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([run(controller.signal), limit])
  } finally {
    clearTimeout(timer)
  }
}
