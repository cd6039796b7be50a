import type { HookView } from '@tallystick/core'
import { Select } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { graceOptions } from '../parts/format.ts'
import type { ShownSecret } from '../parts/secret-panel.tsx'

type RotateHookDialogProps = {
  readonly api: AdminApi
  readonly hook: Pick<HookView, 'id' | 'url'>
  readonly onClose: () => void
  readonly onDone: (secret: ShownSecret) => void
}

/** Renders the choice how long the old secret of a webhook still signs beside the new one. */
export function RotateHookDialog({ api, hook: { id, url }, onClose, onDone }: RotateHookDialogProps) {
  const [grace, setGrace] = useState(86_400)
  const act = async () => {
    const path = `/hooks/${encodeURIComponent(id)}/rotate`
    const { secret } = await api.post<{ readonly secret: string }>(path, { graceSeconds: grace })
    const text = grace === 0 ? 'The old one is deleted.' : 'Until the old one ends, each event has a signature of both.'
    onDone({ id, title: 'New signing secret of the webhook', text: `Give it to the receiver ${url}. ${text}`, secret })
  }
  return (
    <FormDialog title="Rotate the secret?" verb="Create the new secret" progress="Working…" act={act} onClose={onClose}>
      <p class="soft anywhere">
        The webhook gets a new signing secret, which is shown once. While both sign, a receiver that knows either one
        accepts the events.
      </p>
      <div class="field">
        <label for="hook-grace">The old secret still signs</label>
        <Select
          id="hook-grace"
          value={grace}
          options={graceOptions}
          onChoose={(seconds) => setGrace(Number(seconds))}
        />
      </div>
    </FormDialog>
  )
}
