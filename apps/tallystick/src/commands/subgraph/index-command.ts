import type { IndexJob, IndexReport } from '@tallystick/service'
import { type Command, InvalidArgumentError } from 'commander'
import { addExamples } from '../examples.ts'
import { withOperator, withReader } from '../operator/with-operator.ts'
import { addCommonOptions, type CommonOptions, parseChain } from '../options.ts'
import { createOutput, exitCodes } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { followJob } from './follow-job.ts'
import { formatJob, formatJobs } from './format-job.ts'

type ChainOptions = CommonOptions & { readonly chain: number }

export function addIndexCommand(program: Command, terminal: Terminal): void {
  const index = program.command('index').description('compare the index of a chain with the chain, and index it again')
  addExamples(index, 'index check --chain 324', 'index rebuild --chain 324')
  addRebuildCommand(index, terminal)
  addCheckCommand(index, terminal)
  addShowCommand(index, terminal)
}

function addRebuildCommand(index: Command, terminal: Terminal): void {
  const rebuild = addCommonOptions(
    index.command('rebuild').description('index a chain again; the old index serves until the new one is complete'),
  )
    .requiredOption('--chain <id>', 'chain to index', parseChain)
    .option('--from <block>', 'first block, at the deployment of the pool or before (default: startBlock)', parseBlock)
    .action(async ({ chain, from, ...options }: ChainOptions & { readonly from?: number }) => {
      const source = { path: options.config, env: terminal.env }
      const job = await withOperator(source, async (operator) => {
        const started = await operator.rebuildIndex({ chainId: chain, ...(from !== undefined && { from }) })
        return followJob(operator, { ...started, terminal, options })
      })
      finish(job, { terminal, options })
    })
  addExamples(rebuild, 'index rebuild --chain 324', 'index rebuild --chain 324 --from 5184000 --json')
}

function addCheckCommand(index: Command, terminal: Terminal): void {
  const check = addCommonOptions(
    index.command('check').description('compare every position, account and day of an index with the contracts'),
  )
    .requiredOption('--chain <id>', 'chain to compare with', parseChain)
    .action(async ({ chain, ...options }: ChainOptions) => {
      const source = { path: options.config, env: terminal.env }
      const job = await withReader(source, async (operator) => {
        const started = await operator.checkIndex({ chainId: chain })
        return followJob(operator, { ...started, terminal, options })
      })
      finish(job, { terminal, options })
      if ((job.check?.count ?? 0) > 0) terminal.exitCode = exitCodes.failed
    })
  addExamples(check, 'index check --chain 324', 'index check --chain 324 --json')
}

function addShowCommand(index: Command, terminal: Terminal): void {
  const show = addCommonOptions(
    index.command('show').description('show the last rebuild or check of each chain that the running service made'),
  ).action(async (options: CommonOptions) => {
    const source = { path: options.config, env: terminal.env }
    const report: IndexReport = await withReader(source, (operator) => operator.showIndex())
    const output = createOutput(terminal, options)
    output.document(report)
    output.text(formatJobs(report, output.layout))
  })
  addExamples(show, 'index show', 'index show --json')
}

function finish(
  job: IndexJob,
  { terminal, options }: { readonly terminal: Terminal; readonly options: CommonOptions },
): void {
  const output = createOutput(terminal, options)
  output.document(job)
  output.text(formatJob(job, output.layout.style))
  if (job.state === 'failed') terminal.exitCode = exitCodes.failed
}

function parseBlock(value: string): number {
  if (/^(0|[1-9]\d{0,9})$/.test(value) && Number(value) < 2 ** 31 - 1) return Number(value)
  throw new InvalidArgumentError('Give a block number, such as 5184000.')
}
