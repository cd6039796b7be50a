import type { KeyView, UsageReport } from '@tallystick/core'
import { Button } from '@tallystick/ui'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { KeysTable } from './keys-table.tsx'
import { useKeyChanges } from './use-key-changes.tsx'

const intervalMs = 10_000

export type KeysViewProps = {
  readonly api: AdminApi
  readonly canChange: boolean
  readonly isSandbox: boolean
  /** Whether the token may read the audit. */
  readonly canAudit: boolean
}

/** Renders the API keys and their usage, and the dialogs that change them. */
export function KeysView({ api, canChange, isSandbox }: Omit<KeysViewProps, 'canAudit'>) {
  const keys = useData<{ readonly keys: readonly KeyView[] }>(api, '/keys', intervalMs)
  const usage = useData<UsageReport>(api, '/keys/usage?days=30', intervalMs)
  const onChanged = () => {
    keys.refresh()
    usage.refresh()
  }
  const changes = useKeyChanges({ api, isSandbox, onChanged })
  const actions = {
    onEdit: (key: KeyView) => changes.open({ kind: 'edit', key }),
    onRotate: (key: KeyView) => changes.open({ kind: 'rotate', key }),
    onRevoke: (key: KeyView) => changes.open({ kind: 'revoke', key }),
  }
  return (
    <div class="stack">
      {changes.results}
      {canChange ? (
        <div>
          <Button class="primary" label="Create a key" onClick={() => changes.open({ kind: 'create' })} />
        </div>
      ) : null}
      <DataState data={keys}>
        {(value) =>
          value.keys.length === 0 ? (
            <p class="muted">There are no keys yet.</p>
          ) : (
            <section class="card" aria-label="Keys">
              <KeysTable keys={value.keys} usage={usage.value} actions={canChange ? actions : undefined} />
            </section>
          )
        }
      </DataState>
      {changes.dialogs}
    </div>
  )
}
