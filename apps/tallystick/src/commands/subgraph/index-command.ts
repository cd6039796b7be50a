import type { IndexJob, IndexReport } from '@tallystick/service'
import type { Command } from 'commander'
import { withOperator, withReader } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain, wholeNumber } from '../options.ts'
import { exitCodes, print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { followJob } from './follow-job.ts'
import { formatJob, formatJobs } from './format-job.ts'

const blockNumber = wholeNumber(0, 2 ** 31 - 2, 'Give a block number, such as 5184000.')

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
    .option('--from <block>', 'first block, at the deployment of the pool or before (default: startBlock)', blockNumber)
    .action(async ({ chain, from, ...options }: ChainOptions & { readonly from?: number }) => {
      const job = await withOperator({ terminal, options }, async (operator) => {
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
      const job = await withReader({ terminal, options }, async (operator) => {
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
    const report: IndexReport = await withReader({ terminal, options }, (operator) => operator.showIndex())
    print({ terminal, options }, { document: report, text: (layout) => formatJobs(report, layout) })
  })
  addExamples(show, 'index show', 'index show --json')
}

function finish(
  job: IndexJob,
  { terminal, options }: { readonly terminal: Terminal; readonly options: CommonOptions },
): void {
  print({ terminal, options }, { document: job, text: (layout) => formatJob(job, layout.style) })
  if (job.state === 'failed') terminal.exitCode = exitCodes.failed
}
