import { ClientError } from '@tallystick/client'

/** Error in words, with the next step. */
export type Explanation = {
  readonly title: string
  readonly text: string
  /** Whether nothing is wrong: the visitor declined, or the page has to ask again. */
  readonly isCalm?: boolean
}

export const keyRejected: Explanation = {
  title: 'This key is not valid',
  text: 'The key is mistyped, unknown, expired or revoked. Copy it again, or request a new one from the operator of this service.',
}

export const visitorsClosed: Explanation = {
  title: 'This service no longer lets visitors in',
  text: 'Enter an API key to go on. Request one from the operator of this service.',
}

/** Describes an error to the visitor, with the next step. */
export function explainError(error: unknown): Explanation {
  if (!(error instanceof ClientError)) {
    return {
      title: 'An error occurred on this page',
      text: `${messageOf(error)} Reload the page. If the error persists, contact the operator.`,
    }
  }
  const reference = error.requestId ? ` Request ID: ${error.requestId}.` : ''
  switch (error.code) {
    case 'connection_failed':
    case 'timeout':
      return { title: 'The service cannot be reached', text: 'Check your connection, then try again.' }
    case 'invalid_api_key':
      return keyRejected
    case 'insufficient_scope':
      return { title: 'This key lacks a scope', text: error.message }
    case 'rate_limited':
      return { title: 'Too many requests', text: error.message }
    case 'quota_exceeded':
    case 'address_not_allowed':
      return { title: 'This key cannot be used now', text: error.message }
    case 'query_rejected':
    case 'invalid_request':
      return { title: 'The query was rejected', text: error.message }
    case 'notes_unavailable':
      return { title: 'No notes are available', text: error.message }
    default:
      return { title: 'The request failed', text: `${error.message}${reference}` }
  }
}

/** Returns the message of an error, which may come from a wallet and be no `Error`. */
export function messageOf(error: unknown): string {
  return String((error as { readonly message?: unknown } | null | undefined)?.message ?? error)
}
