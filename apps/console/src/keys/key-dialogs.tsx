import { type KeyChange, type KeyView, keyScopes } from '@tallystick/core'
import { Select } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { CheckList } from '../parts/check-list.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { formatSeconds, parseRpm } from '../parts/format.ts'

const graces = [0, 3_600, 86_400, 7 * 86_400, 30 * 86_400]
const kinds = ['live', 'test'].map((kind) => [kind, `tsk_${kind}_`] as const)

type CreateKeyDialogProps = {
  readonly api: AdminApi
  readonly onClose: () => void
  readonly onDone: (change: KeyChange) => void
}

/** Renders the form for a new key. */
export function CreateKeyDialog({ api, onClose, onDone }: CreateKeyDialogProps) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(keyScopes)
  const [rpm, setRpm] = useState('600')
  const [expires, setExpires] = useState('')
  const [kind, setKind] = useState('live')
  const act = async () => {
    const expiresAt = expires === '' ? null : `${expires}T00:00:00Z`
    onDone(await api.post<KeyChange>('/keys', { name, kind, scopes, rpm: parseRpm(rpm), expiresAt }))
  }
  return (
    <FormDialog
      title="Create a key"
      verb="Create"
      progress="Creating…"
      act={act}
      isComplete={scopes.length > 0}
      onClose={onClose}
    >
      <div class="field">
        <label for="key-name">Owner</label>
        <input
          id="key-name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          required
          maxLength={100}
          autocomplete="off"
        />
      </div>
      <CheckList legend="May use" values={keyScopes} chosen={scopes} onChange={setScopes} />
      <div class="field">
        <label for="key-rpm">Requests per minute (empty: no limit)</label>
        <input
          id="key-rpm"
          inputMode="numeric"
          autocomplete="off"
          value={rpm}
          onInput={(event) => setRpm(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="key-expires">Expires at the start of this day, UTC (empty: never)</label>
        <input
          id="key-expires"
          type="date"
          value={expires}
          onInput={(event) => setExpires(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="key-kind">Prefix</label>
        <Select id="key-kind" value={kind} options={kinds} onChoose={setKind} />
      </div>
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
        <Select
          id="grace"
          value={grace}
          options={graces.map((seconds) => [
            seconds,
            seconds === 0 ? 'not at all: it leaked' : `for ${formatSeconds(seconds)}`,
          ])}
          onChoose={(seconds) => setGrace(Number(seconds))}
        />
      </div>
    </FormDialog>
  )
}
