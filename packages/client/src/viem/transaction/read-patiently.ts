import type { ActionContext } from '../action-context.ts'

/** Repeats a failed read until `timeoutSeconds` have passed. Throws the last error. */
export async function readPatiently<Result>(context: ActionContext, read: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + context.timeoutMs
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (performance.now() >= deadline) throw error
    }
    await pauseBefore(context, deadline)
  }
}

/** Waits for the client's polling interval, but not beyond the deadline. */
export async function pauseBefore({ client }: ActionContext, deadline: number): Promise<void> {
  const pauseMs = Math.max(0, Math.min(client.pollingInterval, deadline - performance.now()))
  await new Promise((resolve) => setTimeout(resolve, pauseMs))
}
