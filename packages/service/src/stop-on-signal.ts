import type { Service } from './start-service.ts'

// npm forwards Ctrl-C to its child, which has already received it: one key press sends two signals.
const samePressMs = 1_000

/** Shuts down gracefully at the first signal. A later one exits immediately. */
export function stopOnSignal(service: Pick<Service, 'stop'>, { say }: { readonly say: (line: string) => void }): void {
  let stoppingSince: number | undefined
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > samePressMs) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    say(`${signal}: shutting down gracefully (repeat to exit immediately)`)
    service.stop().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`shutdown failed: ${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(1)
      },
    )
  }
  // SIGHUP ends a process at once by default, also one started with nohup: Node restores the default.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
}
