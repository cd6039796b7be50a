import { CommanderError } from 'commander'
import { createProgram } from './create-program.ts'
import { exitCodes, reportFailure } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Runs a command line and sets the exit code of the terminal. `serve` keeps running after this resolves. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<void> {
  const color = !argv.includes('--no-color')
  try {
    await createProgram(terminal, { color }).parseAsync(argv as string[], { from: 'user' })
  } catch (error) {
    const { stderr, env } = terminal
    terminal.exitCode =
      error instanceof CommanderError
        ? exitCodes[error.exitCode === 0 ? 'done' : 'usage']
        : reportFailure(error, { json: argv.includes('--json'), color, stderr, env })
  }
}
