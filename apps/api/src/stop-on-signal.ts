import type { Service } from './main.ts'

/** The first signal finishes what is under way; a second one does not wait for it. */
export function stopOnSignal(service: Pick<Service, 'stop'>, { say }: { readonly say: (line: string) => void }): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    say(`${signal}: finishing what is under way (once more to stop at once)`)
    service.stop().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`stopping failed: ${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
