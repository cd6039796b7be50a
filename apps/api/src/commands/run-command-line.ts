import { Command, CommanderError } from 'commander'
import { addAuditCommand } from './audit.ts'
import { addCurveCommand } from './curve.ts'
import { addDoctorCommand } from './doctor.ts'
import { addHooksCommand } from './hooks.ts'
import { addKeysCommand } from './keys.ts'
import { addLogCommand } from './log.ts'
import { addMonitorCommand } from './monitor.ts'
import { addNotesCommand } from './notes.ts'
import { exitCodes, reportFailure } from './output.ts'
import { addServeCommand } from './serve.ts'
import { addStatusCommand } from './status.ts'
import type { Terminal } from './terminal.ts'

const help = `
Commands use the admin listener of a running server, or the database directly if no server runs.

Exit codes:
  ${exitCodes.done}  done
  ${exitCodes.failed}  rejected or failed; the message gives the reason
  ${exitCodes.usage}  wrong usage
  ${exitCodes.config}  invalid configuration; every fault is listed
  ${exitCodes.unavailable}  a database, server or signer is unreachable; retrying may help
  ${exitCodes.unconfirmed}  done, but not every replica has confirmed that it rejects the key; the message names those`

/** Runs a command line and sets the exit code of the terminal. `serve` keeps running after this resolves. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<void> {
  const program = new Command('tallystick')
    .description('Signed treasury notes over HTTPS: the service and the operator’s tools.')
    .addHelpText('after', help)
    .showHelpAfterError('(use --help for more information)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
  addServeCommand(program, terminal)
  addStatusCommand(program, terminal)
  addKeysCommand(program, terminal)
  addCurveCommand(program, terminal)
  addNotesCommand(program, terminal)
  addHooksCommand(program, terminal)
  addLogCommand(program, terminal)
  addAuditCommand(program, terminal)
  addDoctorCommand(program, terminal)
  addMonitorCommand(program, terminal)
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
