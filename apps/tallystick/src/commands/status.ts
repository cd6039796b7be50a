import { type ChainStatus, type StatusReport, TallystickError } from '@tallystick/core'
import type { Command } from 'commander'
import { withReader } from './operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { exitCodes, print } from './terminal/output.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addStatusCommand(program: Command, terminal: Terminal): void {
  const status = addCommonOptions(
    program.command('status').description('show the problems of the running service, the next period and the chains'),
  ).action(async (options: CommonOptions) => {
    const report = await withReader({ terminal, options }, (operator) => operator.showStatus())
    assertKnown(report)
    print({ terminal, options }, { document: report, text: (layout) => formatStatus(report, layout) })
    if (hasFailed(report)) terminal.exitCode = exitCodes.failed
  })
  addExamples(status, 'status', 'status --json')
}

/** A service of another version may report its problems in another form. They must not be taken for none. */
export function assertKnown({ findings }: Partial<StatusReport>): void {
  if (Array.isArray(findings)) return
  const message = 'The service is of another version: its status has no findings. Use the command line of that version.'
  throw new TallystickError({ code: 'server_unreachable', message, retryable: false })
}

const columns = ['CHAIN', 'NOTES', 'NEXT PERIOD', 'POOL', 'INDEX', 'BLOCK', 'BEHIND', 'AGE']

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
    formatTable(columns, chains.map(formatChain), layout),
  ].join('\n\n')
}

function isClosed({ poolStatus }: Pick<ChainStatus, 'poolStatus'>): boolean {
  return poolStatus === 'paused' || poolStatus === 'rejecting'
}

function formatChain({
  chainId,
  notes,
  isNextSigned,
  poolStatus,
  poolProblems,
  index,
  standby,
}: ChainStatus): string[] {
  const show = (value: number | null | undefined, unit = '') => (value == null ? '-' : `${value}${unit}`)
  return [
    String(chainId),
    String(notes),
    isNextSigned ? 'signed' : 'not signed yet',
    isClosed({ poolStatus })
      ? String(poolStatus).toUpperCase()
      : poolProblems === null
        ? 'unknown'
        : poolProblems.length === 0
          ? 'open'
          : 'PROBLEM',
    index === null
      ? 'none'
      : `${index.kind}, ${index.state}${standby ? ` (standby: ${standby.kind}, ${standby.state})` : ''}`,
    show(index?.block),
    show(index?.lagBlocks, ' blocks'),
    show(index?.ageSeconds, ' s'),
  ]
}
