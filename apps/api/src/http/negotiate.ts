import { TallystickError } from '@tallystick/core'

/** Throws `not_acceptable` if an Accept header rules JSON out (RFC 9110 §12.5.1). */
export function assertAcceptsJson(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '' || accept.split(',').some(takesJson)) return
  throw new TallystickError({
    code: 'not_acceptable',
    message: 'This service answers in application/json, which the Accept header rules out.',
    retryable: false,
  })
}

function takesJson(range: string): boolean {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  if (!['*/*', 'application/*', 'application/json'].includes(type)) return false
  return !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))
}
