import { TallystickError } from '@tallystick/core'

/** Throws `not_acceptable` if an Accept header excludes all of these media types (RFC 9110 §12.5.1). */
export function assertAccepts(accept: string | undefined, mediaTypes: readonly string[] = ['application/json']): void {
  if (accept === undefined || accept.trim() === '' || mediaTypes.some((type) => takes(accept, type))) return
  throw new TallystickError({
    code: 'not_acceptable',
    message: `This service responds with ${mediaTypes.join(' or ')}, which the Accept header excludes.`,
    retryable: false,
  })
}

/** The most specific range that covers the media type decides. */
function takes(accept: string, mediaType: string): boolean {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
  for (const type of [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*']) {
    const matching = ranges.filter(([name]) => name === type)
    if (matching.length > 0) return matching.some(([, ...parameters]) => !parameters.some(isZeroQuality))
  }
  return false
}

function isZeroQuality(parameter: string): boolean {
  return /^q=0(\.0{0,3})?$/.test(parameter)
}
