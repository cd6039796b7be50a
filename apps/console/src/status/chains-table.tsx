import type { ChainStatus } from '@tallystick/core'
import { Pill } from '@tallystick/ui'
import { formatCount, formatSeconds } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

const columns: readonly Column<ChainStatus>[] = [
  {
    title: 'Chain',
    isHead: true,
    cell: ({ chainId, name }) => (
      <>
        {name} <span class="muted">{chainId}</span>
      </>
    ),
  },
  { title: 'Notes', isNumber: true, cell: ({ notes }) => notes },
  {
    title: 'Next period',
    cell: ({ isNextSigned }) => (
      <Pill tone={isNextSigned ? 'good' : 'calm'}>{isNextSigned ? 'Signed' : 'Not signed yet'}</Pill>
    ),
  },
  { title: 'Pool', cell: ({ poolStatus, poolProblems }) => <PoolState status={poolStatus} problems={poolProblems} /> },
  { title: 'Index', cell: ({ index, standby }) => <IndexState index={index} standby={standby} /> },
  {
    title: 'Block',
    isNumber: true,
    cell: ({ index }) => (index?.block == null ? '–' : formatCount(index.block)),
  },
  { title: 'Behind the chain', isNumber: true, cell: ({ index }) => describeLag(index) },
  {
    title: 'Age of the block',
    isNumber: true,
    cell: ({ index }) => (index?.ageSeconds == null ? '–' : formatSeconds(index.ageSeconds)),
  },
]

export function ChainsTable({ chains }: { readonly chains: readonly ChainStatus[] }) {
  return (
    <Table
      caption="Chains and the lag of their indexes"
      columns={columns}
      rows={chains}
      keyOf={({ chainId }) => String(chainId)}
    />
  )
}

type PoolStateProps = {
  readonly status: ChainStatus['poolStatus']
  readonly problems: readonly string[] | null
}

function PoolState({ status, problems }: PoolStateProps) {
  if (status === 'rejecting') return <Pill tone="bad">Rejecting</Pill>
  if (status === 'paused') return <Pill tone="bad">Paused</Pill>
  if (problems === null) return <Pill tone="calm">Unknown</Pill>
  if (problems.length === 0) return <Pill tone="good">Open</Pill>
  return <Pill tone="bad">See problems</Pill>
}

function IndexState({ index, standby }: Pick<ChainStatus, 'index' | 'standby'>) {
  if (!index) return <span class="muted">none</span>
  return (
    <>
      <Pill tone={index.problem ? 'warn' : 'good'}>{index.state}</Pill> <span class="muted">{index.kind}</span>
      {standby && <div class="muted">{`Standby: ${standby.kind}, ${standby.state}`}</div>}
    </>
  )
}

function describeLag(index: ChainStatus['index']): string {
  if (index?.lagBlocks == null) return '–'
  const seconds = index.lagSeconds == null ? '' : `, ${formatSeconds(index.lagSeconds)}`
  return `${formatCount(index.lagBlocks)} ${index.lagBlocks === 1 ? 'block' : 'blocks'}${seconds}`
}
