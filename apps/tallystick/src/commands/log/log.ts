import { countOf } from '@tallystick/base/pure'
import type { LogReport } from '@tallystick/public-log'
import type { Command } from 'commander'
import { showReport } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { exitCodes, print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function addLogCommand(program: Command, terminal: Terminal): void {
  const log = program.command('log').description('create the key of the public log, verify the log in the database')
  addExamples(log, 'log init --origin notes.example/log --out secrets/log-key', 'log show')
  addCommonOptions(log.command('init'), 'log init', 'log init --origin notes.example/log --out secrets/log-key')
    .description('create the key of the public log')
    .option('--origin <name>', 'name of the log, such as notes.example/log (default: log.origin of the configuration)')
    .option('--out <file>', 'file to write the key to (default: the file of log.key in the configuration)')
    .action(async (options: CommonOptions & { readonly origin?: string; readonly out?: string }) => {
      const { initLog } = await import('./init-log.ts')
      const created = await initLog(options)
      print(terminal, { options, document: created, text: () => formatCreated(created) })
    })
  addCommonOptions(log.command('show'), 'log show')
    .description('verify the log in the database and show its state')
    .action((options: CommonOptions) =>
      showReport(terminal, {
        options,
        read: (operator) => operator.showLog(),
        format: formatReport,
        exitCode: ({ isRootValid, alteredRows }) =>
          isRootValid && alteredRows.length === 0 ? undefined : exitCodes.failed,
      }),
    )
}

type CreatedKey = { readonly origin: string; readonly path: string; readonly verifierKey: string }

function formatCreated({ origin, path, verifierKey }: CreatedKey): string {
  return [
    `Wrote the key of ${origin} to ${path}. Back it up, and give it to every replica.`,
    `Verifier key, for everyone: ${verifierKey}`,
    `Configuration: "log": { "origin": "${origin}", "key": "file:${path}" }`,
  ].join('\n')
}

function formatReport(
  { entries, checkpoint, isRootValid, alteredRows }: LogReport,
  { style: { red } }: Layout,
): string {
  if (!checkpoint) return `The log has ${countOf(entries, 'entry', 'entries')} and no checkpoint yet.`
  const root = isRootValid ? 'They have the root that it signs.' : red('THEY DO NOT HAVE THE ROOT THAT IT SIGNS.')
  return [
    `The log has ${countOf(entries, 'entry', 'entries')}. The newest checkpoint covers ${checkpoint.size}. ${root}`,
    ...alteredRows.map((row) => red(`CHANGED  ${row}`)),
    '',
    checkpoint.note.trimEnd(),
  ].join('\n')
}
