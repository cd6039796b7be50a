import type { ComponentChildren } from 'preact'

/** Renders what is wrong with a field, and announces it. Renders nothing without a text. */
export function FieldFault({ id, text }: { readonly id?: string; readonly text: ComponentChildren }) {
  if (text === undefined) return null
  return (
    <p id={id} class="field-fault" role="alert">
      {text}
    </p>
  )
}
