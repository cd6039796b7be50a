import { setTimeout } from 'node:timers/promises'
import { TallystickError } from '@tallystick/core'
import type { IndexJob, Operator } from '@tallystick/service'
import type { Command } from 'commander'
import { makeChange, showReport } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain, wholeNumber } from '../options.ts'
import { exitCodes } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatJob, formatJobs, formatProgress } from './format-job.ts'

const blockNumber = wholeNumber(0, 2 ** 31 - 2, 'Give a block number, such as 5184000.')

type ChainOptions = CommonOptions & { readonly chain: number }

export function addIndexCommand(program: Command, terminal: Terminal): void {
  const index = program.command('index').description('compare the index of a chain with the chain, and index it again')
  addExamples(index, 'index check --chain 324', 'index rebuild --chain 324')
  addRebuildCommand(index, terminal)
  addCheckCommand(index, terminal)
  addCommonOptions(index.command('show'), 'index show', 'index show --json')
    .description('show the last rebuild or check of each chain that the running service made')
    .action((options: CommonOptions) =>
      showReport(terminal, { options, read: (operator) => operator.showIndex(), format: formatJobs }),
    )
}

function addRebuildCommand(index: Command, terminal: Terminal): void {
  addCommonOptions(
    index.command('rebuild'),
    'index rebuild --chain 324',
    'index rebuild --chain 324 --from 5184000 --json',
  )
    .description('index a chain again; the old index serves until the new one is complete')
    .requiredOption('--chain <id>', 'chain to index', parseChain)
    .option('--from <block>', 'first block, at the deployment of the pool or before (default: startBlock)', blockNumber)
    .action((options: ChainOptions & { readonly from?: number }) =>
      makeChange(terminal, {
        options,
        change: async (operator) => {
          const { job } = await operator.rebuildIndex({ chainId: options.chain, from: options.from })
          return followJob(operator, { job, terminal, options })
        },
        format: formatJob,
        exitCode: exitCodeOf,
      }),
    )
}

function addCheckCommand(index: Command, terminal: Terminal): void {
  addCommonOptions(index.command('check'), 'index check --chain 324', 'index check --chain 324 --json')
    .description('compare every position, account and day of an index with the contracts')
    .requiredOption('--chain <id>', 'chain to compare with', parseChain)
    .action((options: ChainOptions) =>
      showReport(terminal, {
        options,
        read: async (operator) => {
          const { job } = await operator.checkIndex({ chainId: options.chain })
          return followJob(operator, { job, terminal, options })
        },
        format: formatJob,
        exitCode: exitCodeOf,
      }),
    )
}

function exitCodeOf({ state, check }: IndexJob): number | undefined {
  return state === 'failed' || (check?.count ?? 0) > 0 ? exitCodes.failed : undefined
}

const pollMs = 250
// Interval of the lines in a pipe or a file. On a terminal one line is rewritten.
const lineMs = 10_000

/** Waits for the end of a job and shows its progress. Ctrl-C leaves a job of the service running. */
async function followJob(
  operator: Pick<Operator, 'showIndex'>,
  { job, terminal, options }: { readonly job: IndexJob; readonly terminal: Terminal; readonly options: CommonOptions },
): Promise<IndexJob> {
  const show = createProgress(terminal, options)
  const { runsIn } = await operator.showIndex()
  const interrupt = () => {
    show()
    terminal.stderr.write(`${describeInterrupt(job, runsIn)}\n`)
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  try {
    for (;;) {
      const { chains } = await operator.showIndex()
      const current = chains.find(({ chainId }) => chainId === job.chainId)?.job
      if (current?.id !== job.id) throw restarted(job)
      if (current.state !== 'running') return current
      show(formatProgress(current))
      await setTimeout(pollMs)
    }
  } finally {
    show()
    process.off('SIGINT', interrupt)
  }
}

function describeInterrupt({ kind, chainId }: IndexJob, runsIn: 'service' | 'command'): string {
  if (runsIn === 'service') {
    return `The ${kind} of the index of chain ${chainId} continues in the service. \`tallystick index show\` shows it.`
  }
  return `The ${kind} of the index of chain ${chainId} was aborted. The index is unchanged.`
}

/** Creates the function that shows the progress. Without a text, it ends the line. */
function createProgress({ stderr }: Terminal, { json }: CommonOptions): (text?: string) => void {
  if (json) return () => undefined
  if (stderr.isTTY) return (text = '') => stderr.write(`\r\u001b[K${text}`)
  let last = { atMs: Number.NEGATIVE_INFINITY, text: '' }
  return (text) => {
    const nowMs = performance.now()
    const step = (line: string) => line.split(':', 1)[0]
    if (text === undefined || text === last.text || (nowMs - last.atMs < lineMs && step(text) === step(last.text)))
      return
    last = { atMs: nowMs, text }
    stderr.write(`${text}\n`)
  }
}

function restarted({ kind, chainId }: IndexJob): TallystickError {
  return new TallystickError({
    code: 'server_unreachable',
    message: `The service was restarted, which ended the ${kind} of the index of chain ${chainId}. Run the command again.`,
    retryable: true,
  })
}
