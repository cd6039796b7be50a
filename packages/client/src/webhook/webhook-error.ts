import { ClientError, type ClientErrorOptions } from '../client-error.ts'

/**
 * Thrown by `verifyWebhook`. `reason` says what is wrong: the `headers`, your `secret`, the `time` of the request, its
 * `signature` or its `body`.
 *
 * @example
 * const reason = await verifyWebhook({}, '{}', 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=').catch((error) => {
 *   if (error instanceof WebhookError) return error.reason
 *   throw error
 * })
 * reason // => 'headers'
 */
export class WebhookError extends ClientError {
  override readonly name = 'WebhookError' as const
  readonly reason: 'headers' | 'secret' | 'time' | 'signature' | 'body'

  constructor({ reason, ...options }: ClientErrorOptions & Pick<WebhookError, 'reason'>) {
    super({ ...options, retryable: false })
    this.reason = reason
  }
}
