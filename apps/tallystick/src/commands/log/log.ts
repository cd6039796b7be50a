import type { LogReport } from '@tallystick/public-log'
import type { Command } from 'commander'
import { withReader } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions } from '../options.ts'
import type { Style } from '../terminal/layout.ts'
import { createOutput, exitCodes, print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function addLogCommand(program: Command, terminal: Terminal): void {
  const log = program.command('log').description('create the key of the public log, verify the log in the database')
  addExamples(log, 'log init --origin notes.example/log --out secrets/log-key', 'log show')
  const init = addCommonOptions(log.command('init').description('create the key of the public log'))
    .option('--origin <name>', 'name of the log, such as notes.example/log (default: log.origin of the configuration)')
    .option('--out <file>', 'file to write the key to (default: the file of log.key in the configuration)')
    .action(async (options: CommonOptions & { readonly origin?: string; readonly out?: string }) => {
      const { initLog } = await import('./init-log.ts')
      const { origin, path, verifierKey } = await initLog(options)
      const output = createOutput(terminal, options)
      output.document({ origin, path, verifierKey })
      output.text(
        [
          `Wrote the key of ${origin} to ${path}. Back it up, and give it to every replica.`,
          `Verifier key, for everyone: ${verifierKey}`,
          `Configuration: "log": { "origin": "${origin}", "key": "file:${path}" }`,
        ].join('\n'),
      )
    })
  addExamples(init, 'log init', 'log init --origin notes.example/log --out secrets/log-key')
  const show = addCommonOptions(
    log.command('show').description('verify the log in the database and show its state'),
  ).action(async (options: CommonOptions) => {
    const report = await withReader({ terminal, options }, (operator) => operator.showLog())
    print({ terminal, options }, { document: report, text: (layout) => formatReport(report, layout.style) })
    if (!report.isRootValid || report.alteredRows.length > 0) terminal.exitCode = exitCodes.failed
  })
  addExamples(show, 'log show')
}

function formatReport({ entries, checkpoint, isRootValid, alteredRows }: LogReport, { red }: Style): string {
  if (!checkpoint) return `The log has ${entries} entries and no checkpoint yet.`
  const root = isRootValid ? 'They have the root that it signs.' : red('THEY DO NOT HAVE THE ROOT THAT IT SIGNS.')
  return [
    `The log has ${entries} entries. The newest checkpoint covers ${checkpoint.size}. ${root}`,
    ...alteredRows.map((row) => red(`CHANGED  ${row}`)),
    '',
    checkpoint.note.trimEnd(),
  ].join('\n')
}
