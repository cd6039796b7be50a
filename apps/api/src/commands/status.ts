import type { Command } from 'commander'
import type { ChainStatus, StatusReport } from '../admin/status-report.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import { createOutput, exitCodes, formatTable } from './output.ts'
import type { Terminal } from './terminal.ts'
import { withReader } from './with-operator.ts'

export function addStatusCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(
    program.command('status').description('show the problems of the running service, the next period and the chains'),
  ).action(async ({ config, json }: CommonOptions) => {
    const report = await withReader({ path: config, env: terminal.env }, (operator) => operator.showStatus())
    const output = createOutput(terminal, json)
    output.document(report)
    output.text(formatStatus(report))
    if (report.problems.some(({ outcome }) => outcome === 'fail')) terminal.exitCode = exitCodes.failed
  })
}

function formatStatus({ now, ready, problems, period, boundary, nextPeriod, chains }: StatusReport): string {
  const found = problems.map(
    ({ outcome, subject, found, advice }) =>
      `${outcome === 'fail' ? 'FAIL' : 'warn'}  ${subject}: ${found}\n      → ${advice}`,
  )
  return [
    `Service time ${now}, ${ready ? 'ready' : 'NOT READY'}`,
    `Now ${period}, from ${boundary} on ${nextPeriod}`,
    ...(found.length === 0 ? ['No problems.'] : found),
    formatTable(['CHAIN', 'NOTES', 'NEXT PERIOD', 'POOL', 'INDEX', 'BLOCK', 'BEHIND', 'AGE'], chains.map(formatChain)),
  ].join('\n\n')
}

function formatChain({ chainId, notes, isNextSigned, poolProblems, index }: ChainStatus): string[] {
  const show = (value: number | null | undefined, unit = '') => (value == null ? '-' : `${value}${unit}`)
  return [
    String(chainId),
    String(notes),
    isNextSigned ? 'signed' : 'not signed yet',
    poolProblems === null ? 'unknown' : poolProblems.length === 0 ? 'open' : 'PROBLEM',
    index === null ? 'none' : `${index.kind}, ${index.state}`,
    show(index?.block),
    show(index?.lagBlocks, ' blocks'),
    show(index?.ageSeconds, ' s'),
  ]
}
