import type { ChainStatus, StatusReport } from '@tallystick/core'
import type { Command } from 'commander'
import { addExamples } from './examples.ts'
import { withReader } from './operator/with-operator.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { createOutput, exitCodes } from './terminal/output.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addStatusCommand(program: Command, terminal: Terminal): void {
  const status = addCommonOptions(
    program.command('status').description('show the problems of the running service, the next period and the chains'),
  ).action(async (options: CommonOptions) => {
    const report = await withReader({ path: options.config, env: terminal.env }, (operator) => operator.showStatus())
    const output = createOutput(terminal, options)
    output.document(report)
    output.text(formatStatus(report, output.layout))
    if (hasFailed(report)) terminal.exitCode = exitCodes.failed
  })
  addExamples(status, 'status', 'status --json')
}

const columns = ['CHAIN', 'NOTES', 'NEXT PERIOD', 'POOL', 'INDEX', 'BLOCK', 'BEHIND', 'AGE']

/** Returns whether notes are not served or will not be, or a pool does not accept them. */
export function hasFailed({ problems, chains }: Pick<StatusReport, 'problems' | 'chains'>): boolean {
  return problems.some(({ outcome }) => outcome === 'fail') || chains.some(isClosed)
}

export function formatStatus(
  { now, ready, degraded = false, problems, period, boundary, nextPeriod, chains }: StatusReport,
  layout: Layout,
): string {
  const { style } = layout
  const found = problems.map(
    ({ outcome, subject, found, advice }) =>
      `${outcome === 'fail' ? style.red('FAIL') : style.yellow('warn')}  ${subject}: ${found}\n      → ${advice}`,
  )
  return [
    `Service time ${now}, ${ready ? (degraded ? style.yellow('ready, degraded') : style.green('ready')) : style.red('NOT READY')}`,
    `Now ${period}, from ${boundary} on ${nextPeriod}`,
    ...(found.length === 0 ? ['No problems.'] : found),
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
