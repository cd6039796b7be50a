import { Notice } from '@tallystick/ui'
import { explainError } from '../data/explain-error.ts'

/** Renders an error. `hint` says how the page handles it. */
export function ErrorNotice({ error, hint }: { readonly error: unknown; readonly hint?: string | undefined }) {
  const { title, text } = explainError(error)
  return <Notice tone="bad" title={title} text={hint ? `${text} ${hint}` : text} />
}
