import { Command, CommanderError } from 'commander'
import { addAuditCommand } from './commands/audit.ts'
import { addCurveCommand } from './commands/curve.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addNotesCommand } from './commands/notes.ts'
import { exitCodes, reportFailure } from './commands/output.ts'
import { addServeCommand } from './commands/serve.ts'

const help = `
Commands work beside a running server (through its admin listener) and without one (on the database itself).

Exit codes:
  ${exitCodes.done}  done
  ${exitCodes.failed}  refused or failed: what was asked was not done, the message says why
  ${exitCodes.usage}  wrong usage
  ${exitCodes.config}  the configuration is wrong; every fault is listed
  ${exitCodes.unavailable}  a database, server or signer cannot be reached; trying again may help
  ${exitCodes.unconfirmed}  done, but not every replica has confirmed that it refuses the key; the message names them`

/** Runs the command line and resolves to the exit code, unless a command goes on running. */
async function run(argv: readonly string[]): Promise<number | undefined> {
  const program = new Command('tallystick')
    .description('Signed treasury notes over HTTPS: the service and its operator’s tools.')
    .addHelpText('after', help)
    .showHelpAfterError('(--help tells more)')
    .configureHelp({ showGlobalOptions: true })
  addServeCommand(program)
  addKeysCommand(program)
  addCurveCommand(program)
  addNotesCommand(program)
  addAuditCommand(program)
  addDoctorCommand(program)
  for (const command of everyCommand(program)) command.exitOverride().copyInheritedSettings(program)
  try {
    await program.parseAsync(argv as string[])
    return undefined
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    return reportFailure(error, { json: argv.includes('--json') })
  }
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

// The reader of the output may end first, such as `head`. `serve` goes on and has a writer of its own.
if (process.argv[2] !== 'serve') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(process.exitCode ?? exitCodes.done)
  })
}

const exitCode = await run(process.argv)
if (exitCode !== undefined) process.exitCode = exitCode
