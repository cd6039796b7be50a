import { createLineWriter } from '@tallystick/base'
import { stopOnSignal } from '@tallystick/service'
import type { SandboxOptions } from './options.ts'
import { createClosers, startSandbox } from './start-sandbox.ts'

/** Runs a sandbox until a signal or an error ends the process. */
export async function runProcess(options: SandboxOptions): Promise<void> {
  const stdout = createLineWriter(1, { formatDropped: (count) => `${count} lines dropped\n` })
  const say = (line: string) => void stdout.write(`${line}\n`)
  const closers = createClosers()
  stopOnSignal({ stop: () => closers.close().then(stdout.flush) }, { say })
  try {
    const devnets = await startSandbox(options, { closers, say, stdout })
    const { label } = await Promise.race(devnets.map(({ chain, node }) => node.exited.then(() => chain)))
    if (!closers.isClosing()) throw new Error(`The ${label} exited unexpectedly, so the sandbox stops. Start it again.`)
  } catch (error) {
    // Pending work fails during shutdown. The signal handler exits the process.
    if (closers.isClosing()) return
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    await closers.close()
    process.exit(1)
  }
}
