import type { KeyChange, KeyView, UsageReport } from '@tallystick/core'
import { Button, Notice } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { formatIso } from '../parts/format.ts'
import { SecretPanel, type ShownSecret } from '../parts/secret-panel.tsx'
import { describeReplicas } from './describe-replicas.ts'
import { CreateKeyDialog, RotateKeyDialog } from './key-dialogs.tsx'
import { KeysTable } from './keys-table.tsx'

const intervalMs = 10_000
// As long as the command line waits until every replica has confirmed a revocation.
const confirmWaitMs = 5_000

type Open = { readonly kind: 'create' } | { readonly kind: 'rotate' | 'revoke'; readonly key: KeyView }

/** Renders the API keys and their usage, and the dialogs that change them. */
export function KeysView({ api, canChange }: { readonly api: AdminApi; readonly canChange: boolean }) {
  const keys = useData<{ readonly keys: readonly KeyView[] }>(api, '/keys', intervalMs)
  const usage = useData<UsageReport>(api, '/keys/usage?days=30', intervalMs)
  const [open, setOpen] = useState<Open>()
  const [shown, setShown] = useState<ShownSecret>()
  const [outcome, setOutcome] = useState<ReturnType<typeof describeReplicas>>()
  const finish = ({ key, secret, replicas }: KeyChange, title: string, text: string) => {
    // Another dialog may be open when the answer of this one arrives.
    setOpen((now) => (now === open ? undefined : now))
    setOutcome(replicas && describeReplicas(key, replicas))
    // The secret of another key stays until the operator has it.
    if (secret !== undefined) setShown({ id: key.id, title, text, secret })
    else setShown((now) => (now?.id === key.id ? undefined : now))
    keys.refresh()
    usage.refresh()
  }
  const revoke = async ({ id }: KeyView) => {
    finish(await api.post<KeyChange>(`/keys/${encodeURIComponent(id)}/revoke`, { waitMs: confirmWaitMs }), '', '')
  }
  const actions = {
    onRotate: (key: KeyView) => setOpen({ kind: 'rotate', key }),
    onRevoke: (key: KeyView) => setOpen({ kind: 'revoke', key }),
  }
  return (
    <div class="stack">
      {shown ? <SecretPanel shown={shown} onDone={() => setShown(undefined)} /> : null}
      {outcome ? <Notice {...outcome} /> : null}
      {canChange ? (
        <div>
          <Button class="primary" label="Create a key" onClick={() => setOpen({ kind: 'create' })} />
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
      {open?.kind === 'create' ? (
        <CreateKeyDialog
          api={api}
          onClose={() => setOpen(undefined)}
          onDone={(change) => finish(change, `Key for ${change.key.name}`, 'Send it to its owner over a safe channel.')}
        />
      ) : null}
      {open?.kind === 'rotate' ? (
        <RotateKeyDialog
          api={api}
          entry={open.key}
          waitMs={confirmWaitMs}
          onClose={() => setOpen(undefined)}
          onDone={(change, text) => finish(change, `New secret for ${change.key.name}`, text)}
        />
      ) : null}
      {open?.kind === 'revoke' ? (
        <ConfirmDialog
          title={`Revoke the key of ${open.key.name}?`}
          verb="Revoke"
          act={() => revoke(open.key)}
          onClose={() => setOpen(undefined)}
        >
          <p>
            Every replica rejects <code>{open.key.id}</code> within a second, for good. Its owner then needs a new key.
          </p>
          <p>{open.key.lastUsedAt ? `It was last used on ${formatIso(open.key.lastUsedAt)}.` : 'It was never used.'}</p>
        </ConfirmDialog>
      ) : null}
    </div>
  )
}
