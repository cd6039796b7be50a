import { Command, CommanderError } from 'commander'
import { addAuditCommand } from './audit.ts'
import { addCurveCommand } from './curve.ts'
import { addDoctorCommand } from './doctor.ts'
import { addKeysCommand } from './keys.ts'
import { addNotesCommand } from './notes.ts'
import { exitCodes, reportFailure } from './output.ts'
import { addServeCommand } from './serve.ts'
import type { Terminal } from './terminal.ts'

const help = `
Commands work beside a running server (through its admin listener) and without one (on the database itself).

Exit codes:
  ${exitCodes.done}  done
  ${exitCodes.failed}  refused or failed: what was asked was not done, the message says why
  ${exitCodes.usage}  wrong usage
  ${exitCodes.config}  the configuration is wrong; every fault is listed
  ${exitCodes.unavailable}  a database, server or signer cannot be reached; trying again may help
  ${exitCodes.unconfirmed}  done, but not every replica has confirmed that it refuses the key; the message names them`

/** Runs a command line and sets the exit code of the terminal. `serve` keeps running after this resolves. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<void> {
  const program = new Command('tallystick')
    .description('Signed treasury notes over HTTPS: the service and its operator’s tools.')
    .addHelpText('after', help)
    .showHelpAfterError('(--help tells more)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
  addServeCommand(program, terminal)
  addKeysCommand(program, terminal)
  addCurveCommand(program, terminal)
  addNotesCommand(program, terminal)
  addAuditCommand(program, terminal)
  addDoctorCommand(program, terminal)
  for (const command of everyCommand(program)) command.exitOverride().copyInheritedSettings(program)
  try {
    await program.parseAsync(argv as string[], { from: 'user' })
  } catch (error) {
    terminal.exitCode =
      error instanceof CommanderError
        ? exitCodes[error.exitCode === 0 ? 'done' : 'usage']
        : reportFailure(error, { json: argv.includes('--json'), stderr: terminal.stderr })
  }
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}
