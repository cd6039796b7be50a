import { countOf } from '@tallystick/base/pure'
import type { IndexJob, IndexReport } from '@tallystick/service'
import type { Layout } from '../terminal/layout.ts'
import { formatItems, type ItemColumns } from '../terminal/table.ts'

/** Formats the result of a job that has ended. */
export function formatJob(job: IndexJob, { style: { red, green } }: Layout): string {
  const { kind, chainId, from, block, problem, check } = job
  if (job.state === 'failed') return red(`The ${kind} of the index of chain ${chainId} failed. ${problem}`)
  if (kind === 'rebuild') {
    return `${green('done')}  Chain ${chainId} was indexed again from block ${from} to block ${block}. The new index is in use.`
  }
  if (!check) return `The check of chain ${chainId} has no result.`
  const { positions, accounts, days } = check.compared
  const compared = `${countOf(positions, 'position')}, ${countOf(accounts, 'account')} and ${countOf(days, 'day')} of chain ${chainId}, at block ${check.block.number}`
  if (check.count === 0) return `${green('ok')}  ${compared}: the index agrees with the chain.`
  const more = check.count - check.contradictions.length
  return [
    `${red('WRONG')}  ${compared}: ${countOf(check.count, 'contradiction')}`,
    ...check.contradictions.map((text) => `  ${text}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `→ Index the chain again: tallystick index rebuild --chain ${chainId}`,
  ].join('\n')
}

/** Formats how far a running job is. */
export function formatProgress({ step, block, chainHead, compared, of, problem }: IndexJob): string {
  const suffix = problem === null ? '' : `. ${problem}`
  return `${describeStep()}${suffix}`

  function describeStep(): string {
    if (step === 'replacing') return 'replacing the old index'
    if (step === 'checking')
      return `comparing with the chain${compared === null ? '' : `: ${compared} of ${of} positions`}`
    if (block === null || chainHead === null) return 'indexing'
    return `indexing: block ${block} of ${chainHead} (${Math.floor((100 * block) / Math.max(1, chainHead))} %)`
  }
}

const jobColumns: ItemColumns<IndexReport['chains'][number]> = [
  { heading: 'CHAIN', cell: ({ chainId }) => String(chainId) },
  { heading: 'JOB', cell: ({ job }) => job?.kind ?? 'none' },
  { heading: 'STATE', cell: ({ job }) => job?.state ?? '' },
  { heading: 'STARTED', cell: ({ job }) => job?.startedAt ?? '' },
  { heading: 'ENDED', cell: ({ job }) => job?.finishedAt ?? '' },
  { heading: 'DETAILS', cell: ({ job }) => (job === null ? '' : describeDetails(job)) },
]

/** Formats the last job of each chain. */
export function formatJobs({ runsIn, chains }: IndexReport, layout: Layout): string {
  if (runsIn === 'command')
    return 'No service runs with this configuration. Rebuilds and checks are shown by the service they run in.'
  return formatItems(chains, { columns: jobColumns, layout })
}

function describeDetails(job: IndexJob): string {
  if (job.state === 'running') return formatProgress(job)
  if (job.problem !== null) return job.problem
  if (job.check) return countOf(job.check.count, 'contradiction')
  return `from block ${job.from} to block ${job.block}`
}
