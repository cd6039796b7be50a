import { type KeyChange, type KeyView, keyScopes } from '@tallystick/core'
import { Select } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { formatSeconds, graceOptions } from '../parts/format.ts'
import { KeyFields } from './key-fields.tsx'
import { findChanges, type KeyTexts, parseKey, textsOf } from './key-form.ts'

const kinds = ['live', 'test'].map((kind) => [kind, `tsk_${kind}_`] as const)

type CreateKeyDialogProps = {
  readonly api: AdminApi
  readonly isSandbox: boolean
  readonly onClose: () => void
  readonly onDone: (change: KeyChange) => void
}

const newKey: KeyTexts = {
  ...{ name: '', scopes: keyScopes, rpm: '600', burst: '', quotaPerDay: '', quotaPerMonth: '', allow: '', expires: '' },
}

/** Renders the form for a new key. Keys of a sandbox are for tests. */
export function CreateKeyDialog({ api, isSandbox, onClose, onDone }: CreateKeyDialogProps) {
  const [texts, setTexts] = useState(newKey)
  const [kind, setKind] = useState(isSandbox ? 'test' : 'live')
  const act = async () => onDone(await api.post<KeyChange>('/keys', { ...parseKey(texts), kind }))
  return (
    <FormDialog
      title="Create a key"
      verb="Create"
      progress="Creating…"
      act={act}
      isComplete={texts.scopes.length > 0}
      onClose={onClose}
    >
      <KeyFields texts={texts} onChange={setTexts} isOpen={false} />
      <div class="field">
        <label for="key-kind">Prefix</label>
        <Select id="key-kind" value={kind} options={kinds} onChoose={setKind} />
      </div>
    </FormDialog>
  )
}

type EditKeyDialogProps = {
  readonly api: AdminApi
  /** Key as it was when the dialog was opened. A change that somebody else makes meanwhile is not overwritten. */
  readonly entry: KeyView
  readonly waitMs: number
  readonly onClose: () => void
  readonly onDone: (change: KeyChange) => void
}

/** Renders the form for the members of a key that can be changed. */
export function EditKeyDialog({ api, entry, waitMs, onClose, onDone }: EditKeyDialogProps) {
  const [texts, setTexts] = useState(() => textsOf(entry))
  const act = async () => {
    const request = { ...findChanges(entry, texts), revision: entry.revision, waitMs }
    onDone(await api.post<KeyChange>(`/keys/${encodeURIComponent(entry.id)}/update`, request))
  }
  const { burst, quotaPerDay, quotaPerMonth, allow } = entry
  return (
    <FormDialog
      title={`Edit the key of ${entry.name}`}
      verb="Save"
      progress="Saving…"
      act={act}
      isComplete={texts.scopes.length > 0}
      onClose={onClose}
    >
      <KeyFields
        texts={texts}
        onChange={setTexts}
        isOpen={[burst, quotaPerDay, quotaPerMonth, allow].some((limit) => limit !== null)}
      />
    </FormDialog>
  )
}

type RotateKeyDialogProps = {
  readonly api: AdminApi
  readonly entry: KeyView
  /** How long to wait for the replicas if the old secret ends at once. */
  readonly waitMs: number
  readonly onClose: () => void
  readonly onDone: (change: KeyChange, text: string) => void
}

/** Renders the choice how long the old secret of a key still works. */
export function RotateKeyDialog({ api, entry: { id, name }, waitMs, onClose, onDone }: RotateKeyDialogProps) {
  const [grace, setGrace] = useState(86_400)
  const act = async () => {
    const request = { graceSeconds: grace, waitMs: grace === 0 ? waitMs : 0 }
    const { replicas, ...change } = await api.post<KeyChange>(`/keys/${encodeURIComponent(id)}/rotate`, request)
    const text = grace === 0 ? 'The old secret is revoked.' : `The old secret works for ${formatSeconds(grace)} more.`
    onDone(grace === 0 && replicas ? { ...change, replicas } : change, text)
  }
  return (
    <FormDialog
      title={`Rotate the key of ${name}`}
      verb="Create the new secret"
      progress="Working…"
      act={act}
      onClose={onClose}
    >
      <p class="soft anywhere">
        The key gets a new secret, which is shown once. Name, limits and id (<code>{id}</code>) stay.
      </p>
      <div class="field">
        <label for="grace">The old secret still works</label>
        <Select id="grace" value={grace} options={graceOptions} onChoose={(seconds) => setGrace(Number(seconds))} />
      </div>
    </FormDialog>
  )
}
