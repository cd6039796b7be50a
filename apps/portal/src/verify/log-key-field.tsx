import { parseVerifierKey } from '@tallystick/tlog'
import { quietStorage } from '@tallystick/ui'
import { useState } from 'preact/hooks'

const storageKey = 'tallystick-log-key'

/** Returns the verifier key that the visitor pasted, its fault, and a function that changes it. */
export function useLogKey() {
  const [text, setText] = useState(() => quietStorage.getItem(storageKey) ?? '')
  const isValid = text === '' || parseVerifierKey(text) !== undefined
  const change = (next: string) => {
    const trimmed = next.trim()
    setText(trimmed)
    if (trimmed === '' || parseVerifierKey(trimmed)) quietStorage.setItem(storageKey, trimmed)
  }
  return { text, isValid, key: isValid && text !== '' ? text : undefined, change }
}

/** Renders the field for the verifier key of the log. */
export function LogKeyField({ text, isValid, change }: ReturnType<typeof useLogKey>) {
  return (
    <details class="log-key">
      <summary>Key of the public log: {text !== '' && isValid ? 'yours' : 'as this service shows it'}</summary>
      <label class="field-label" for="log-key">
        Verifier key from elsewhere
      </label>
      <input
        id="log-key"
        class="mono"
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        placeholder="notes.example/log+…+…"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={!isValid}
        aria-describedby="log-key-hint"
      />
      <p id="log-key-hint" class={isValid ? 'hint' : 'field-fault'}>
        {isValid
          ? 'With a key that comes from the service itself, the check shows only that the log is consistent with what this browser saw before. Paste the key that the operator published elsewhere, to be sure that it is the log everybody sees.'
          : 'This is not a verifier key, or it was copied incompletely. It has the form <origin>+<8 hex digits>+<base64>.'}
      </p>
    </details>
  )
}
