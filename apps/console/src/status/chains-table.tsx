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
  { title: 'Notes', class: 'number', cell: ({ notes }) => notes },
  {
    title: 'Next period',
    cell: ({ isNextSigned }) => (
      <Pill tone={isNextSigned ? 'good' : 'calm'}>{isNextSigned ? 'Signed' : 'Not signed yet'}</Pill>
    ),
  },
  { title: 'Pool', cell: (chain) => <PoolState {...chain} /> },
  { title: 'Index', cell: (chain) => <IndexState {...chain} /> },
  {
    title: 'Block',
    class: 'number',
    cell: ({ index }) => (index?.block == null ? '–' : formatCount(index.block)),
  },
  { title: 'Behind the chain', class: 'number', cell: ({ index }) => describeLag(index) },
  {
    title: 'Age of the block',
    class: 'number',
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

function PoolState({ poolStatus, poolProblems }: ChainStatus) {
  if (poolStatus === 'rejecting') return <Pill tone="bad">Rejecting</Pill>
  if (poolStatus === 'paused') return <Pill tone="bad">Paused</Pill>
  if (poolProblems === null) return <Pill tone="calm">Unknown</Pill>
  return poolProblems.length === 0 ? <Pill tone="good">Open</Pill> : <Pill tone="bad">See problems</Pill>
}

function IndexState({ index, standby }: ChainStatus) {
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
