import { runCommandLine } from './commands/run-command-line.ts'
import { exitCodes } from './commands/terminal/output.ts'

// The reader of the output, such as `head`, may exit first. `serve` continues and has its own writer.
if (process.argv[2] !== 'serve') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(process.exitCode ?? exitCodes.done)
  })
}

await runCommandLine(process.argv.slice(2), process)
