import type { ErrorCode } from '@tallystick/core'
import { statusOf } from '@tallystick/http'
import type { DocumentContext, Example, Response } from '../routing/document.ts'
import { type ErrorEndpoint, errorExamples } from './error-examples.ts'
import { errorGuide } from './error-guide.ts'
import { headerReferences } from './headers.ts'
import { schemaReference } from './schemas.ts'

// Errors of any request, whatever its content.
const anywhere: readonly ErrorCode[] = [
  'invalid_request',
  'https_required',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'rate_limited',
  'internal_error',
]
const withKey: readonly ErrorCode[] = [
  'invalid_api_key',
  'insufficient_scope',
  'address_not_allowed',
  'quota_exceeded',
  'not_acceptable',
]
const retryAfter: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'too_many_streams',
  'notes_unavailable',
  'upstream_failed',
  'not_ready',
]

/** Returns the error responses of an operation by status: its own, and those common to all operations. */
export function errorResponses(
  context: DocumentContext,
  { endpoint, codes }: { readonly endpoint: ErrorEndpoint; readonly codes: readonly ErrorCode[] },
): Readonly<Record<string, Response>> {
  const all = [...codes, ...(endpoint.scope ? withKey : []), ...anywhere]
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const code of all) byStatus.set(statusOf(code), (byStatus.get(statusOf(code)) ?? new Set()).add(code))
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [status, response(context, { endpoint, codes: [...of] })]),
  )
}

function response(
  context: DocumentContext,
  { endpoint, codes }: { readonly endpoint: ErrorEndpoint; readonly codes: readonly ErrorCode[] },
): Response {
  const values = errorExamples(context, endpoint)
  const examples = codes.map((code): [string, Example] => [
    code,
    { summary: errorGuide[code], value: { ...values[code], code, requestId: '9f2c41d07ab3-1x' } },
  ])
  return {
    description: codes.map((code) => `\`${code}\`: ${errorGuide[code]}`).join('\n\n'),
    headers: headerReferences(
      'x-request-id',
      ...(codes.some((code) => retryAfter.includes(code)) ? (['Retry-After'] as const) : []),
      ...(codes.includes('method_not_allowed') ? (['Allow'] as const) : []),
    ),
    content: { 'application/json': { schema: schemaReference('Error'), examples: Object.fromEntries(examples) } },
  }
}
