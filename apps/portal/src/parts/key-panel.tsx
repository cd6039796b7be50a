import { Button, Icon, withoutReload } from '@tallystick/ui'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Explanation } from '../data/explain-error.ts'
import { type KeyPlace, keyStore } from '../data/key-store.ts'

type KeyPanelProps = {
  /** Why the last key was rejected, or a key is needed now. */
  readonly fault: Explanation | undefined
  /** Prefills the field for correction. */
  readonly rejectedKey: string | undefined
  readonly sandboxKey: string | undefined
  /** Whether the visitor opened it. It then takes the focus. */
  readonly isOpened: boolean
  readonly onSubmit: (apiKey: string, place: KeyPlace) => void
  /** Label of what is possible without an own key. Undefined if nothing is. */
  readonly leaving: string | undefined
  readonly onLeave: () => void
  /** Undefined if there is no valid key to return to. */
  readonly onCancel: (() => void) | undefined
}

/** Renders the form for the API key. It is sent only to this service, and kept until the tab is closed unless its owner decides otherwise. */
export function KeyPanel(props: KeyPanelProps) {
  const { fault, rejectedKey, sandboxKey, isOpened, leaving, onSubmit, onLeave, onCancel } = props
  const [text, setText] = useState(rejectedKey ?? sandboxKey ?? '')
  const [isShown, setIsShown] = useState(false)
  const [isOnDevice, setIsOnDevice] = useState(keyStore.isOnDevice)
  const field = useRef<HTMLInputElement>(null)
  // It stays in sight wherever the page is scrolled to. Without a key it is part of the page, which may be used without one.
  const isSticky = isOpened || fault !== undefined
  useEffect(() => {
    if (!onCancel) return undefined
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onCancel()
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [onCancel])
  useLayoutEffect(() => {
    if (fault === undefined && !isOpened) return
    field.current?.focus({ preventScroll: isSticky })
    field.current?.select()
  }, [fault, isOpened])
  return (
    <form
      id="key-panel"
      class={isSticky ? 'key-box key-panel middle key-panel-box' : 'key-box key-panel middle'}
      aria-labelledby="key-title"
      onSubmit={withoutReload(() => onSubmit(text.trim(), isOnDevice ? 'device' : 'tab'))}
    >
      <div class="key-words">
        <h2 id="key-title">
          <Icon name="key" />
          Your API key
        </h2>
        <p class="soft">
          It is sent to this service only, and{' '}
          {isOnDevice
            ? 'stays in this browser until you forget it. Everybody who uses this browser can read it.'
            : 'forgotten when you close this tab.'}
        </p>
      </div>
      <div class="key-field flex">
        <label class="sr-only" for="api-key">
          API key
        </label>
        <input
          id="api-key"
          ref={field}
          {...(isShown ? ({ type: 'text' } as const) : ({ type: 'password' } as const))}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder="tsk_live_…"
          autocomplete="off"
          spellcheck={false}
          required
          aria-invalid={fault !== undefined}
          aria-describedby={fault ? 'key-fault' : undefined}
        />
        <Button label={isShown ? 'Hide' : 'Show'} aria-pressed={isShown} onClick={() => setIsShown(!isShown)} />
        <Button type="submit" class="primary" label="Use key" />
        {sandboxKey !== undefined && text !== sandboxKey ? (
          <Button label="Use sandbox key" onClick={() => onSubmit(sandboxKey, 'tab')} />
        ) : null}
        {onCancel ? <Button label="Cancel" onClick={onCancel} /> : null}
      </div>
      <div class="key-choices flex middle wrap">
        <label class="check">
          <input type="checkbox" checked={isOnDevice} onChange={() => setIsOnDevice(!isOnDevice)} />
          Keep the key on this device
        </label>
        {leaving ? <Button class="quiet small" label={leaving} onClick={onLeave} /> : null}
      </div>
      {fault ? (
        <p id="key-fault" class="field-fault" role="alert">
          <strong>{fault.title}.</strong> {fault.text}
        </p>
      ) : null}
    </form>
  )
}
