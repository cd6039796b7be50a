import type { ListedHookView } from '@tallystick/core'
import { Pill, type Tone } from '@tallystick/ui'
import { formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

const tones: Readonly<Record<ListedHookView['status'], Tone>> = { active: 'good', failing: 'warn', disabled: 'bad' }

type HooksTableProps = {
  readonly hooks: readonly ListedHookView[]
  readonly isBusy: boolean
  /** Undefined if the token may not change webhooks. */
  readonly onAct: ((hook: ListedHookView, verb: 'test' | 'enable') => void) | undefined
  readonly onRemove: (hook: ListedHookView) => void
}

export function HooksTable({ hooks, isBusy, onAct, onRemove }: HooksTableProps) {
  const columns: readonly Column<ListedHookView>[] = [
    ...describeColumns,
    ...(onAct
      ? [
          {
            title: 'Actions',
            cell: (hook: ListedHookView) => (
              <span class="row-actions">
                <button type="button" class="quiet small" disabled={isBusy} onClick={() => onAct(hook, 'test')}>
                  Test<span class="sr-only"> {hook.url}</span>
                </button>
                {hook.status === 'active' ? null : (
                  <button type="button" class="quiet small" disabled={isBusy} onClick={() => onAct(hook, 'enable')}>
                    Switch on<span class="sr-only"> {hook.url}</span>
                  </button>
                )}
                <button type="button" class="quiet small bad" onClick={() => onRemove(hook)}>
                  Remove<span class="sr-only"> {hook.url}</span>
                </button>
              </span>
            ),
          },
        ]
      : []),
  ]
  return <Table caption="Webhooks" columns={columns} rows={hooks} keyOf={({ id }) => id} />
}

const describeColumns: readonly Column<ListedHookView>[] = [
  {
    title: 'Receiver',
    isHead: true,
    cell: ({ url, id }) => (
      <>
        <span class="key-name">{url}</span> <code class="key-id">{id}</code>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, lastError, disabledReason }) => (
      <>
        <Pill tone={tones[status]}>{status}</Pill>
        {(disabledReason ?? lastError) ? <span class="sub cell-hint">{disabledReason ?? lastError}</span> : null}
      </>
    ),
  },
  {
    title: 'Events',
    cell: ({ types, chainId }) => (
      <>
        {types.join(', ')}
        {chainId === null ? null : <span class="sub cell-hint">chain {chainId}</span>}
      </>
    ),
  },
  { title: 'Waiting', isNumber: true, cell: ({ waiting }) => waiting },
  { title: 'Last success', cell: ({ lastSuccessAt }) => (lastSuccessAt ? formatIso(lastSuccessAt) : 'never') },
]
