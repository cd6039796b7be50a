import type { FullReconcileReport } from '@tallystick/issuer'
import type { DiscardReport } from '@tallystick/service'
import type { Command } from 'commander'
import { makeChange, showReport } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { exitCodes, print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function addNotesCommand(program: Command, terminal: Terminal): void {
  const notes = program
    .command('notes')
    .description('show the notes on offer, verify notes, repair a restored database')
  addExamples(notes, 'notes show', 'notes verify notes.json')
  addCommonOptions(notes.command('show'), 'notes show', 'notes show --json')
    .description('show the notes on offer, or why there are none')
    .action(async (options: CommonOptions) => {
      const { formatNotesReport } = await import('./format-notes.ts')
      await showReport(terminal, { options, read: (operator) => operator.showNotes(), format: formatNotesReport })
    })
  addVerifyCommand(notes, terminal)
  addRepairCommands(notes, terminal)
}

function addVerifyCommand(notes: Command, terminal: Terminal): void {
  addCommonOptions(
    notes.command('verify <file>'),
    'notes verify notes.json',
    'notes verify - --signer 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  )
    .description('check who signed the notes in a file (a /notes response or single notes; - is stdin)')
    .option('--signer <address>', 'expected signer (default: the configured signer)')
    .action(async (file: string, options: CommonOptions & { readonly signer?: string }) => {
      const { verifyNotesFile } = await import('./verify-notes.ts')
      const { formatCheckedNotes } = await import('./format-notes.ts')
      const source = { path: options.config, env: terminal.env }
      const checked = await verifyNotesFile(file, { source, signer: options.signer })
      const text = (layout: Layout) => formatCheckedNotes(checked, layout)
      print(terminal, { options, document: { notes: checked }, text })
      if (checked.some((note) => !note.genuine)) terminal.exitCode = exitCodes.failed
    })
}

function addRepairCommands(notes: Command, terminal: Terminal): void {
  addCommonOptions(notes.command('reconcile'), 'notes reconcile')
    .description('copy signed notes from the signer journal back into a restored database')
    .action((options: CommonOptions) =>
      makeChange(terminal, {
        options,
        change: (operator) => operator.reconcileNotes(),
        format: formatReconciled,
        exitCode: ({ contradictions, problems, log }) =>
          contradictions.length > 0 || problems.length > 0 || log?.problem ? exitCodes.failed : undefined,
      }),
    )
  addCommonOptions(notes.command('discard'), 'notes discard --chain 324 --period 2027-03-14T22:00:00Z')
    .description('delete notes that a wrong clock signed too early, and no others')
    .requiredOption('--chain <id>', 'the chain', parseChain)
    .requiredOption('--period <start>', 'the start of their period, ISO 8601, as `notes show` and `doctor` print it')
    .action((options: CommonOptions & { readonly chain: number; readonly period: string }) =>
      makeChange(terminal, {
        options,
        change: (operator) => operator.discardNotes({ chainId: options.chain, period: options.period }),
        format: ({ discarded }) => formatDiscarded(discarded),
      }),
    )
}

function formatDiscarded({ chainId, period, wasStored, wasJournalled }: DiscardReport): string {
  const places = [...(wasStored ? ['the database'] : []), ...(wasJournalled ? ['the signer journal'] : [])]
  const done = `Discarded from ${places.join(' and ')}: the notes of ${period} on chain ${chainId}.`
  if (wasJournalled) return done
  return `${done}\nThe signer journal here did not contain them. Also run this command on the replica that signed them.`
}

function formatReconciled(
  { restored, present, contradictions, problems, log }: FullReconcileReport,
  { style }: Layout,
): string {
  const formatCoupons = (coupons: FullReconcileReport['restored'][number]['coupons']) =>
    Object.entries(coupons)
      .map(([tenorDays, bps]) => `${tenorDays}=${bps}`)
      .join(' ')
  const lines = [
    ...restored.map(
      ({ chainId, period, coupons }) => `restored  chain ${chainId}, ${period}: ${formatCoupons(coupons)}`,
    ),
    ...contradictions.flatMap(({ chainId, period, coupons, stored, endsAt }) => [
      style.red(`CONTRADICTION  chain ${chainId}, ${period}`),
      `  signed, in this journal:  ${formatCoupons(coupons)}`,
      `  signed, in the database:  ${formatCoupons(stored)}`,
      `  Both were signed and neither can be recalled: the pool accepts both until ${endsAt}.`,
      '  Stop the replicas that serve one of them until then. From the next period, all replicas sign the same notes.',
    ]),
    ...problems.map((problem) => style.red(`NOT RESTORED  ${problem}`)),
  ]
  const summary =
    contradictions.length > 0
      ? 'Nothing was changed.'
      : `Sets restored: ${restored.length}. Already in the database: ${present}.`
  return [...lines, summary, ...(log ? [formatLog(log)] : [])].join('\n')
}

function formatLog({ restored, size, problem }: NonNullable<FullReconcileReport['log']>): string {
  if (problem) return `PUBLIC LOG NOT RESTORED  ${problem}`
  return `Entries of the public log restored: ${restored}. It has ${size}.`
}
