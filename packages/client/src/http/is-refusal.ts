import { errorCodes } from '@tallystick/core'
import type { ClientError } from '../client-error.ts'

/**
 * Returns whether the service itself refused a request for good. A proxy, a captive portal or a replica of another version
 * may give any status, but not the service's error body.
 */
export function isRefusal({ code, retryable }: ClientError): boolean {
  return !retryable && errorCodes.some((known) => known === code)
}
