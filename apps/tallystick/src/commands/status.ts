import { type ChainStatus, type StatusReport, TallystickError } from '@tallystick/core'
import type { Command } from 'commander'
import { showReport } from './operator/with-operator.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { exitCodes } from './terminal/output.ts'
import { formatItems, type ItemColumns } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addStatusCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(program.command('status'), 'status', 'status --json')
    .description('show the problems of the running service, the next period and the chains')
    .action((options: CommonOptions) =>
      showReport(terminal, {
        options,
        read: async (operator) => assertKnown(await operator.showStatus()),
        format: formatStatus,
        exitCode: (report) => (hasFailed(report) ? exitCodes.failed : undefined),
      }),
    )
}

/** A service of another version may report its problems in another form. They must not be taken for none. */
export function assertKnown(report: StatusReport): StatusReport {
  if (Array.isArray(report.findings)) return report
  const message = 'The service is of another version: its status has no findings. Use the command line of that version.'
  throw new TallystickError({ code: 'server_unreachable', message, retryable: false })
}

/** Returns whether notes are not served or will not be, or a pool does not accept them. */
export function hasFailed({ findings, chains }: Pick<StatusReport, 'findings' | 'chains'>): boolean {
  return findings.some(({ severity }) => severity !== 'warn') || chains.some(isClosed)
}

export function formatStatus(
  { now, ready, degraded = false, findings, period, boundary, nextPeriod, chains }: StatusReport,
  layout: Layout,
): string {
  const { style } = layout
  const lines = findings.map(
    ({ severity, subject, message, remedy }) =>
      `${severity === 'warn' ? style.yellow('warn') : style.red('FAIL')}  ${subject}: ${message}\n      → ${remedy}`,
  )
  return [
    `Service time ${now}, ${ready ? (degraded ? style.yellow('ready, degraded') : style.green('ready')) : style.red('NOT READY')}`,
    `Now ${period}, from ${boundary} on ${nextPeriod}`,
    ...(lines.length === 0 ? ['No problems.'] : lines),
    formatItems(chains, { columns: chainColumns, layout }),
  ].join('\n\n')
}

function isClosed({ poolStatus }: Pick<ChainStatus, 'poolStatus'>): boolean {
  return poolStatus === 'paused' || poolStatus === 'rejecting'
}

const chainColumns: ItemColumns<ChainStatus> = [
  { heading: 'CHAIN', cell: ({ chainId }) => String(chainId) },
  { heading: 'NOTES', cell: ({ notes }) => String(notes) },
  { heading: 'NEXT PERIOD', cell: ({ isNextSigned }) => (isNextSigned ? 'signed' : 'not signed yet') },
  { heading: 'POOL', cell: describePool },
  { heading: 'INDEX', cell: describeIndex },
  { heading: 'BLOCK', cell: ({ index }) => show(index?.block) },
  { heading: 'BEHIND', cell: ({ index }) => show(index?.lagBlocks, ' blocks') },
  { heading: 'AGE', cell: ({ index }) => show(index?.ageSeconds, ' s') },
]

function describePool({ poolStatus, poolProblems }: ChainStatus): string {
  if (isClosed({ poolStatus })) return String(poolStatus).toUpperCase()
  if (poolProblems === null) return 'unknown'
  return poolProblems.length === 0 ? 'open' : 'PROBLEM'
}

function describeIndex({ index, standby }: ChainStatus): string {
  if (index === null) return 'none'
  return `${index.kind}, ${index.state}${standby ? ` (standby: ${standby.kind}, ${standby.state})` : ''}`
}

function show(value: number | null | undefined, unit = ''): string {
  return value == null ? '-' : `${value}${unit}`
}
