import { countOf } from '@tallystick/base/pure'
import type { ClaimPlace, ExportReport, ImportReport } from '@tallystick/issuer'
import type { Command } from 'commander'
import { addCommonOptions, addExamples, type CommonOptions, optionWithValues, parsePlace } from '../options.ts'
import { print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

const places = ['journal', 'protection'] as const

export function addJournalCommand(program: Command, terminal: Terminal): void {
  const { env } = terminal
  const journal = program.command('journal').description('copy what was signed between journals and signer.protection')
  addExamples(journal, 'journal export signed.jsonl', 'journal import signed.jsonl')
  addCommonOptions(
    journal.command('export <file>'),
    'journal export signed.jsonl',
    'journal export signed.jsonl --from protection',
  )
    .description('write the digests of all signed notes to a new file')
    .addOption(optionWithValues('--from <place>', 'what to export (default: journal)', places).argParser(parsePlace))
    .action(async (file: string, options: CommonOptions & { readonly from?: ClaimPlace }) => {
      const { exportFrom } = await import('./transfer-journal.ts')
      const report = await exportFrom(options.config, { file, from: options.from ?? 'journal', env })
      print(terminal, { options, document: report, text: () => formatExport(report) })
    })
  addCommonOptions(
    journal.command('import <file>'),
    'journal import signed.jsonl',
    'journal import signed.jsonl --into protection',
  )
    .description('add the digests of an export, so that nothing else is signed')
    .addOption(
      optionWithValues('--into <place>', 'where to add them (default: each that is configured)', places).argParser(
        parsePlace,
      ),
    )
    .action(async (file: string, options: CommonOptions & { readonly into?: ClaimPlace }) => {
      const { importInto } = await import('./transfer-journal.ts')
      const report = await importInto(options.config, { file, into: options.into, env })
      print(terminal, { options, document: report, text: () => formatImport(report) })
    })
}

function formatExport({ file, from, entries }: ExportReport): string {
  return `Wrote the digests of ${countOf(entries, 'note')} from ${from} to ${file}.`
}

function formatImport({ file, entries, journal, protection }: ImportReport): string {
  return [
    `Read the digests of ${countOf(entries, 'note')} from ${file}.`,
    ...(journal ? [`Added to the signer journal ${journal.path}: ${journal.added}. It had the others.`] : []),
    ...(protection ? [`The ${protection.database} of signer.protection has all of them.`] : []),
  ].join('\n')
}
