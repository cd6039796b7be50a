import { release } from '@tallystick/service'
import { Command } from 'commander'
import { addAuditCommand } from './audit.ts'
import { addCompletionCommand } from './completion/completion.ts'
import { addConfigCommand } from './config-command.ts'
import { addCurveCommand } from './curve/curve.ts'
import { addDatabaseCommand } from './database.ts'
import { addDoctorCommand } from './doctor.ts'
import { addHooksCommand } from './hooks/hooks.ts'
import { addInitCommand } from './init.ts'
import { addKeysCommand } from './keys/keys.ts'
import { addLogCommand } from './log/log.ts'
import { addMonitorCommand } from './log/monitor.ts'
import { addJournalCommand } from './notes/journal.ts'
import { addNotesCommand } from './notes/notes.ts'
import { addExamples } from './options.ts'
import { addServeCommand } from './serve.ts'
import { addStatusCommand } from './status.ts'
import { addDataCommand } from './subgraph/data.ts'
import { addIndexCommand } from './subgraph/index-command.ts'
import { chooseLayout, hasColour } from './terminal/layout.ts'
import { exitCodes } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

const help = `
Commands use the admin listener of a running server, or the database directly if no server runs.

Exit codes:
  ${exitCodes.done}  done
  ${exitCodes.failed}  rejected or failed; the message gives the reason
  ${exitCodes.usage}  wrong usage
  ${exitCodes.config}  invalid configuration; every fault is listed
  ${exitCodes.unavailable}  a database, server or signer is unreachable; retrying may help
  ${exitCodes.unconfirmed}  done, but not every replica has confirmed that it rejects the key; the message names those`

const commands = [
  addInitCommand,
  addServeCommand,
  addStatusCommand,
  addKeysCommand,
  addCurveCommand,
  addNotesCommand,
  addJournalCommand,
  addHooksCommand,
  addLogCommand,
  addAuditCommand,
  addDatabaseCommand,
  addDataCommand,
  addIndexCommand,
  addDoctorCommand,
  addMonitorCommand,
  addConfigCommand,
  addCompletionCommand,
]

/**
 * Creates the commands with their options, descriptions and examples. Parsing, help and completion all use them. What a
 * command needs to run is imported when it runs, so that the others start fast (docs/decisions/0044-command-line.md).
 */
export function createProgram(terminal: Terminal, { color = true }: { readonly color?: boolean } = {}): Command {
  const program = new Command('tallystick')
    .description('Signed treasury notes over HTTPS: the service and the operator’s tools.')
    .version(release, '-V, --version', 'print the version')
    .option('--no-color', 'print without colours (also: the variable NO_COLOR)')
    .addHelpText('after', help)
    .showHelpAfterError('(use --help for more information)')
    .hook('preAction', (_, command) => {
      command.setOptionValue('color', color)
    })
  configure(program, { terminal, color })
  addExamples(program, 'init', 'doctor', 'serve', 'keys create --name "Acme Wallet"')
  for (const add of commands) add(program, terminal)
  for (const command of everyCommand(program)) command.exitOverride().copyInheritedSettings(program)
  return program
}

/** Lists a command and all commands below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** Sends output to the terminal, in its width and with its colours. */
function configure(
  program: Command,
  { terminal, color }: { readonly terminal: Terminal; readonly color: boolean },
): void {
  const { stdout, stderr, env } = terminal
  const { style } = chooseLayout(stdout, { env, color })
  program
    .configureHelp({
      showGlobalOptions: true,
      // Narrower descriptions are not broken into lines.
      minWidthToWrap: 20,
      styleTitle: style.bold,
      styleCommandText: style.cyan,
      styleSubcommandText: style.cyan,
      styleOptionText: style.green,
    })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(chooseLayout(stderr, { env, color }).style.red(text)),
      getOutHasColors: () => color && hasColour(stdout, env),
      getErrHasColors: () => color && hasColour(stderr, env),
      getOutHelpWidth: () => chooseLayout(stdout, { env, color }).columns as number,
      getErrHelpWidth: () => chooseLayout(stderr, { env, color }).columns as number,
    })
}
