import { Button, Icon } from '@tallystick/ui'
import { useEffect, useRef, useState } from 'preact/hooks'

/** A secret that is shown once, and what it belongs to. */
export type ShownSecret = {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly secret: string
}

/** Renders a new secret until the operator has it. It takes the focus, so that a screen reader announces it. */
export function SecretPanel({ shown, onDone }: { readonly shown: ShownSecret; readonly onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    heading.current?.focus()
    setIsCopied(false)
  }, [shown.secret])
  const copy = () =>
    navigator.clipboard.writeText(shown.secret).then(
      () => setIsCopied(true),
      () => undefined,
    )
  return (
    <section class="key-box secret-panel" aria-labelledby="secret-title">
      <h2 id="secret-title" ref={heading} tabIndex={-1}>
        <Icon name="key" />
        {shown.title}
      </h2>
      <p>{shown.text} It is shown only once.</p>
      <div class="row">
        <code class="secret mono anywhere">{shown.secret}</code>
        <Button label={isCopied ? 'Copied' : 'Copy'} onClick={copy} />
        <Button class="primary" label="I have stored it" onClick={onDone} />
      </div>
      <span class="sr-only" role="status">
        {isCopied ? 'The secret is in the clipboard.' : ''}
      </span>
    </section>
  )
}
