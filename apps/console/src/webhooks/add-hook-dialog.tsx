import { eventTypes, type HookView } from '@tallystick/core'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { CheckList } from '../parts/check-list.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import type { ShownSecret } from '../parts/secret-panel.tsx'

type AddHookDialogProps = {
  readonly api: AdminApi
  readonly onClose: () => void
  readonly onDone: (secret: ShownSecret) => void
}

/** Renders the form for a new webhook. */
export function AddHookDialog({ api, onClose, onDone }: AddHookDialogProps) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly string[]>(eventTypes)
  const act = async () => {
    const { hook, secret } = await api.post<{ hook: HookView; secret: string }>('/hooks', {
      url: url.trim(),
      types,
    })
    onDone({
      id: hook.id,
      title: 'Signing secret of the webhook',
      text: `The receiver ${hook.url} verifies the signature of each event with it.`,
      secret,
    })
  }
  return (
    <FormDialog
      title="Add a webhook"
      verb="Add"
      progress="Adding…"
      act={act}
      isComplete={types.length > 0}
      onClose={onClose}
    >
      <div class="field">
        <label for="hook-url">URL of the receiver</label>
        <input id="hook-url" type="url" value={url} onInput={(event) => setUrl(event.currentTarget.value)} required />
      </div>
      <CheckList legend="Events" values={eventTypes} chosen={types} onChange={setTypes} />
    </FormDialog>
  )
}
