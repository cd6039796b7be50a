import { keyScopes } from '@tallystick/core'
import { CheckList } from '../parts/check-list.tsx'
import type { KeyTexts, NumberMember } from './key-form.ts'

type KeyFieldsProps = {
  readonly texts: KeyTexts
  readonly onChange: (texts: KeyTexts) => void
  /** Whether the limits that few keys have are shown at once. */
  readonly isOpen: boolean
}

/** Renders the fields of a key that can be changed. */
export function KeyFields({ texts, onChange, isOpen }: KeyFieldsProps) {
  const number = (member: NumberMember, label: string) => (
    <div class="field">
      <label for={`key-${member}`}>{label}</label>
      <input
        id={`key-${member}`}
        inputMode="numeric"
        autocomplete="off"
        value={texts[member]}
        onInput={(event) => onChange({ ...texts, [member]: event.currentTarget.value })}
      />
    </div>
  )
  return (
    <>
      <div class="field">
        <label for="key-name">Owner</label>
        <input
          id="key-name"
          value={texts.name}
          onInput={(event) => onChange({ ...texts, name: event.currentTarget.value })}
          required
          maxLength={100}
          autocomplete="off"
        />
      </div>
      <CheckList
        legend="May use"
        values={keyScopes}
        chosen={texts.scopes}
        onChange={(scopes) => onChange({ ...texts, scopes })}
      />
      {number('rpm', 'Requests per minute (empty: no limit)')}
      <div class="field">
        <label for="key-expires">Expires at the start of this day, UTC (empty: never)</label>
        <input
          id="key-expires"
          type="date"
          value={texts.expires}
          onInput={(event) => onChange({ ...texts, expires: event.currentTarget.value })}
        />
      </div>
      <details class="further" open={isOpen}>
        <summary>Further limits</summary>
        <div class="further-fields grid">
          {number('burst', 'Requests per second on a replica (empty: no limit)')}
          {number('quotaPerDay', 'Requests per UTC day (empty: no limit)')}
          {number('quotaPerMonth', 'Requests per UTC month (empty: no limit)')}
          <div class="field">
            <label for="key-allow">Networks it may be used from, one per line (empty: any)</label>
            <textarea
              id="key-allow"
              rows={3}
              class="mono"
              spellcheck={false}
              value={texts.allow}
              onInput={(event) => onChange({ ...texts, allow: event.currentTarget.value })}
            />
          </div>
        </div>
      </details>
    </>
  )
}
