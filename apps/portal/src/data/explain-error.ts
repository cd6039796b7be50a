import { ClientError } from '@tallystick/client'

export type Explanation = { readonly title: string; readonly text: string }

/** A failure in words, with what to do about it. */
export function explainError(error: unknown): Explanation {
  if (!(error instanceof ClientError)) {
    return {
      title: 'Something failed on this page',
      text: `${messageOf(error)} Reload it; if that does not help, tell the operator.`,
    }
  }
  const quoted = error.requestId ? ` Request ${error.requestId}.` : ''
  switch (error.code) {
    case 'connection_failed':
    case 'timeout':
      return { title: 'The service cannot be reached', text: 'Check your connection, then try again.' }
    case 'invalid_api_key':
      return {
        title: 'This key is not valid',
        text: 'It is mistyped, unknown, expired or revoked. Copy it again, or ask the operator of this service for one.',
      }
    case 'insufficient_scope':
      return { title: 'Not for this key', text: error.message }
    case 'rate_limited':
      return {
        title: 'Too many requests',
        text: `The key’s requests for this minute are used up. Try again in ${error.retryAfterSeconds ?? 60} seconds.`,
      }
    case 'query_rejected':
    case 'invalid_request':
      return { title: 'The query was refused', text: error.message }
    case 'notes_unavailable':
      return { title: 'There are no notes right now', text: error.message }
    default:
      return { title: 'The service could not answer', text: `${error.message}${quoted}` }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
