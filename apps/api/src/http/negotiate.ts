import { TallystickError } from '@tallystick/core'

/** Throws `not_acceptable` if an Accept header excludes JSON (RFC 9110 §12.5.1). */
export function assertAcceptsJson(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '' || takesJson(accept)) return
  throw new TallystickError({
    code: 'not_acceptable',
    message: 'This service responds with application/json, which the Accept header excludes.',
    retryable: false,
  })
}

/** The most specific range that covers JSON decides. */
function takesJson(accept: string): boolean {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
  for (const type of ['application/json', 'application/*', '*/*']) {
    const matching = ranges.filter(([name]) => name === type)
    if (matching.length > 0) return matching.some(([, ...parameters]) => !parameters.some(isZeroQuality))
  }
  return false
}

function isZeroQuality(parameter: string): boolean {
  return /^q=0(\.0{0,3})?$/.test(parameter)
}
