import type { ListedHookView } from '@tallystick/core'
import { Button, Pill, type Tone } from '@tallystick/ui'
import { formatPlace } from '../access/place.ts'
import { formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

export const hookTones: Readonly<Record<ListedHookView['status'], Tone>> = {
  active: 'good',
  failing: 'warn',
  disabled: 'bad',
}

type HooksTableProps = {
  readonly hooks: readonly ListedHookView[]
  readonly isBusy: boolean
  /** Undefined if the token may not change webhooks. */
  readonly onAct: ((hook: ListedHookView, verb: 'test' | 'enable') => void) | undefined
  readonly onRemove: (hook: ListedHookView) => void
}

export function HooksTable({ hooks, isBusy, onAct, onRemove }: HooksTableProps) {
  const actions: Column<ListedHookView> = {
    title: 'Actions',
    cell: (hook) => {
      const act = (label: string, verb: 'test' | 'enable') => (
        <Button
          class="quiet small"
          label={label}
          suffix={` ${hook.url}`}
          disabled={isBusy}
          onClick={() => onAct?.(hook, verb)}
        />
      )
      return (
        <span class="row-actions flex wrap">
          {act('Test', 'test')}
          {hook.status === 'active' ? null : act('Switch on', 'enable')}
          <Button class="quiet small bad" label="Remove" suffix={` ${hook.url}`} onClick={() => onRemove(hook)} />
        </span>
      )
    },
  }
  const columns = onAct ? [...describeColumns, actions] : describeColumns
  return <Table caption="Webhooks" columns={columns} rows={hooks} keyOf={({ id }) => id} />
}

const describeColumns: readonly Column<ListedHookView>[] = [
  {
    title: 'Receiver',
    isHead: true,
    cell: ({ url, id }) => (
      <>
        <a class="block anywhere" href={formatPlace('webhooks', { path: [id] })}>
          {url}
        </a>{' '}
        <code class="key-id mono muted regular anywhere">{id}</code>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, lastError, disabledReason }) => (
      <>
        <Pill tone={hookTones[status]}>{status}</Pill>
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
  { title: 'Waiting', class: 'number', cell: ({ waiting }) => waiting },
  { title: 'Last success', cell: ({ lastSuccessAt }) => (lastSuccessAt ? formatIso(lastSuccessAt) : 'never') },
]
