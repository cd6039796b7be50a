import type { KeyChange, KeyView } from '@tallystick/core'
import { Select } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { formatSeconds } from '../parts/format.ts'

const graces = [0, 3_600, 86_400, 7 * 86_400, 30 * 86_400]

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
      <p class="dialog-text soft anywhere">
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
