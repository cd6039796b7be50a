import { TallystickError } from '@tallystick/core'

/** Returns the error of a configuration, or of a file for it, that cannot be written or used. */
export function invalidConfig(message: string, details?: TallystickError['details']): TallystickError {
  return new TallystickError({ code: 'invalid_config', message, retryable: false, details })
}
