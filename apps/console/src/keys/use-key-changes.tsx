import type { KeyChange, KeyView } from '@tallystick/core'
import { Notice } from '@tallystick/ui'
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { formatIso } from '../parts/format.ts'
import { SecretPanel, type ShownSecret } from '../parts/secret-panel.tsx'
import { describeReplicas } from './describe-replicas.ts'
import { CreateKeyDialog, EditKeyDialog, RotateKeyDialog } from './key-dialogs.tsx'

// As long as the command line waits until every replica has confirmed a revocation.
const confirmWaitMs = 5_000

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: KeyView }

type KeyChangesOptions = { readonly api: AdminApi; readonly isSandbox: boolean; readonly onChanged: () => void }

/** Returns what opens the dialogs that change keys, the dialogs, and what came of them. */
export function useKeyChanges({ api, isSandbox, onChanged }: KeyChangesOptions) {
  const [open, setOpen] = useState<Open>()
  const [shown, setShown] = useState<ShownSecret>()
  const [outcome, setOutcome] = useState<ReturnType<typeof describeReplicas>>()
  const finish = ({ key, secret, replicas }: KeyChange, title = '', text = '') => {
    // Another dialog may be open when the answer of this one arrives.
    setOpen((now) => (now === open ? undefined : now))
    setOutcome(replicas && describeReplicas({ ...key, isEdited: open?.kind === 'edit' }, replicas))
    // The secret of another key stays until the operator has it, as does one whose limits were edited.
    if (secret !== undefined) setShown({ id: key.id, title, text, secret })
    else if (open?.kind !== 'edit') setShown((now) => (now?.id === key.id ? undefined : now))
    onChanged()
  }
  // The browser tells that a dialog has closed some milliseconds after Escape, when the next one may be open.
  const close = () => setOpen((now) => (now === open ? undefined : now))
  const common = { api, onClose: close }
  return {
    open: setOpen,
    results: (
      <>
        {shown ? <SecretPanel shown={shown} onDone={() => setShown(undefined)} /> : null}
        {outcome ? <Notice {...outcome} /> : null}
      </>
    ),
    dialogs: (
      <Fragment key={open}>
        {open?.kind === 'create' ? (
          <CreateKeyDialog
            {...common}
            isSandbox={isSandbox}
            onDone={(change) =>
              finish(change, `Key for ${change.key.name}`, 'Send it to its owner over a safe channel.')
            }
          />
        ) : null}
        {open?.kind === 'edit' ? (
          <EditKeyDialog {...common} entry={open.key} waitMs={confirmWaitMs} onDone={(change) => finish(change)} />
        ) : null}
        {open?.kind === 'rotate' ? (
          <RotateKeyDialog
            {...common}
            entry={open.key}
            waitMs={confirmWaitMs}
            onDone={(change, text) => finish(change, `New secret for ${change.key.name}`, text)}
          />
        ) : null}
        {open?.kind === 'revoke' ? <RevokeKeyDialog {...common} entry={open.key} onDone={finish} /> : null}
      </Fragment>
    ),
  }
}

type RevokeKeyDialogProps = {
  readonly api: AdminApi
  readonly entry: KeyView
  readonly onClose: () => void
  readonly onDone: (change: KeyChange) => void
}

function RevokeKeyDialog({ api, entry: { id, name, lastUsedAt }, onClose, onDone }: RevokeKeyDialogProps) {
  const act = async () => {
    onDone(await api.post<KeyChange>(`/keys/${encodeURIComponent(id)}/revoke`, { waitMs: confirmWaitMs }))
  }
  return (
    <ConfirmDialog title={`Revoke the key of ${name}?`} verb="Revoke" act={act} onClose={onClose}>
      <p>
        Every replica rejects <code>{id}</code> within a second, for good. Its owner then needs a new key.
      </p>
      <p>{lastUsedAt ? `It was last used on ${formatIso(lastUsedAt)}.` : 'It was never used.'}</p>
    </ConfirmDialog>
  )
}
