import { quote } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'

/** Throws `invalid_parameter` if the query string of a path without parameters has one. */
export function rejectParameters(query: Readonly<Record<string, unknown>>): void {
  const [name] = Object.keys(query)
  if (name === undefined) return
  throw new TallystickError({
    code: 'invalid_parameter',
    message: `Unknown query parameter ${quote(name)}. This path accepts none.`,
    retryable: false,
  })
}
