import type { FullReconcileReport } from '@tallystick/issuer'
import type { DiscardReport } from '@tallystick/service'
import type { Command } from 'commander'
import { withOperator, withReader } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { exitCodes, print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function addNotesCommand(program: Command, terminal: Terminal): void {
  const notes = program
    .command('notes')
    .description('show the notes on offer, verify notes, repair a restored database')
  addExamples(notes, 'notes show', 'notes verify notes.json')
  const show = addCommonOptions(
    notes.command('show').description('show the notes on offer, or why there are none'),
  ).action(async (options: CommonOptions) => {
    const report = await withReader({ terminal, options }, (operator) => operator.showNotes())
    const { formatNotesReport } = await import('./format-notes.ts')
    print({ terminal, options }, { document: report, text: (layout) => formatNotesReport(report, layout) })
  })
  addExamples(show, 'notes show', 'notes show --json')
  addVerifyCommand(notes, terminal)
  addReconcileCommand(notes, terminal)
  addDiscardCommand(notes, terminal)
}

function addVerifyCommand(notes: Command, terminal: Terminal): void {
  const verify = addCommonOptions(
    notes
      .command('verify <file>')
      .description('check who signed the notes in a file (a /notes response or single notes; - is stdin)'),
  )
    .option('--signer <address>', 'expected signer (default: the configured signer)')
    .action(async (file: string, { signer, ...options }: CommonOptions & { readonly signer?: string }) => {
      const [{ verifyNotesFile }, { formatCheckedNotes }] = await Promise.all([
        import('./verify-notes.ts'),
        import('./format-notes.ts'),
      ])
      const checked = await verifyNotesFile(file, { source: { path: options.config, env: terminal.env }, signer })
      print(
        { terminal, options },
        { document: { notes: checked }, text: (layout) => formatCheckedNotes(checked, layout) },
      )
      if (checked.some((note) => !note.genuine)) terminal.exitCode = exitCodes.failed
    })
  addExamples(verify, 'notes verify notes.json', 'notes verify - --signer 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1')
}

function addDiscardCommand(notes: Command, terminal: Terminal): void {
  const discard = addCommonOptions(
    notes.command('discard').description('delete notes that a wrong clock signed too early, and no others'),
  )
    .requiredOption('--chain <id>', 'the chain', parseChain)
    .requiredOption('--period <start>', 'the start of their period, ISO 8601, as `notes show` and `doctor` print it')
    .action(async ({ chain, period, ...options }: CommonOptions & { chain: number; period: string }) => {
      const result = await withOperator({ terminal, options }, (operator) =>
        operator.discardNotes({ chainId: chain, period }),
      )
      print({ terminal, options }, { document: result, text: () => formatDiscarded(result.discarded) })
    })
  addExamples(discard, 'notes discard --chain 324 --period 2027-03-14T22:00:00Z')
}

function formatDiscarded({ chainId, period, wasStored, wasJournalled }: DiscardReport): string {
  const places = [...(wasStored ? ['the database'] : []), ...(wasJournalled ? ['the signer journal'] : [])]
  const done = `Discarded from ${places.join(' and ')}: the notes of ${period} on chain ${chainId}.`
  if (wasJournalled) return done
  return `${done}\nThe signer journal here did not contain them. Also run this command on the replica that signed them.`
}

function addReconcileCommand(notes: Command, terminal: Terminal): void {
  const reconcile = addCommonOptions(
    notes.command('reconcile').description('copy signed notes from the signer journal back into a restored database'),
  ).action(async (options: CommonOptions) => {
    const report = await withOperator({ terminal, options }, (operator) => operator.reconcileNotes())
    print({ terminal, options }, { document: report, text: (layout) => formatReconciled(report, layout) })
    if (report.contradictions.length > 0 || report.problems.length > 0 || report.log?.problem)
      terminal.exitCode = exitCodes.failed
  })
  addExamples(reconcile, 'notes reconcile')
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
