import type { ErrorBody, ErrorCode, OpenapiExample, OpenapiResponse } from '@tallystick/core'
import { statusOf } from '@tallystick/http'
import type { DocumentContext, Endpoint } from '../routing/document.ts'
import { errorGuide } from './error-guide.ts'
import { headerReferences } from './headers.ts'
import { schemaReference } from './schemas.ts'

/** Endpoint of an error example. */
type ErrorEndpoint = Endpoint & {
  /** Names of its query parameters, in words. Empty if it has none. */
  readonly parameters: string
  /** Types of its responses. */
  readonly mediaTypes: readonly string[]
}

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
): Readonly<Record<string, OpenapiResponse>> {
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
): OpenapiResponse {
  // A test triggers each error and compares.
  const values = { ...refusals(context, endpoint), ...misreadings(context, endpoint), ...failures(context) }
  const examples = codes.map((code): [string, OpenapiExample] => [
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

type ErrorExample = Omit<ErrorBody, 'code' | 'requestId'>

/** Errors about access, limits and HTTP. */
function refusals(
  { endpoints }: DocumentContext,
  { path, allow, scope, mediaTypes }: ErrorEndpoint,
): Partial<Record<ErrorCode, ErrorExample>> {
  return {
    https_required: {
      message:
        'Use https. If this request carried an API key, the key was sent unencrypted: ask the operator to rotate it.',
    },
    invalid_api_key: {
      message: 'The x-api-key header does not contain a valid key. Ask the operator of this service for one.',
    },
    insufficient_scope: {
      message: `This key may not use this endpoint: it lacks the scope "${scope}". Ask the operator for a key that has it.`,
      details: { scope },
    },
    rate_limited: {
      message: `${scope ? 'This key' : 'Your address'} is allowed 600 requests a minute. Try again in 12 seconds.`,
    },
    address_not_allowed: {
      message:
        'This key may not be used from your address. Use it from a network that the operator has allowed for it.',
    },
    quota_exceeded: { message: 'This key is allowed 10000 requests a UTC day. Try again in 3600 seconds.' },
    too_many_streams: {
      message: 'This key has 20 streams open, which is its limit. Close one, or share a stream among your clients.',
    },
    not_ready: { message: notReadyExample({ path, scope }) },
    not_found: { message: `There is nothing at this path. The endpoints are ${endpoints.join(', ')}.` },
    log_entries_withheld: {
      message:
        'Entry 1204 is not public before its period begins, and a bundle is served only if all its entries are. ' +
        'Up to 180 entries of it are served.',
    },
    method_not_allowed: { message: `${path} accepts ${allow}.` },
    not_acceptable: {
      message: `This service responds with ${mediaTypes.join(' or ')}, which the Accept header excludes.`,
    },
    request_timeout: { message: 'The request did not arrive in time.' },
    payload_too_large: { message: 'The body is too large.' },
    unsupported_media_type: { message: 'Send the body as application/json.' },
    headers_too_large: { message: 'The headers are too large. Send fewer or shorter ones.' },
  }
}

function notReadyExample({ path, scope }: Pick<Endpoint, 'path' | 'scope'>): string {
  if (path === '/events') return 'This replica has no free stream. Try again in 5 seconds.'
  if (!scope) return '200 queries are already waiting for this subgraph. Try again in 1 s.'
  return 'The service cannot reach its database. Notes and keys in memory are still served. Try again later.'
}

/** Errors about the content of a request. */
function misreadings(
  { chainIds, dataChainIds }: DocumentContext,
  { parameters, path }: ErrorEndpoint,
): Partial<Record<ErrorCode, ErrorExample>> {
  return {
    invalid_chainid: {
      message: `chainid "0x144" is not supported. Supported: ${chainIds.join(', ')}. Omit it for all chains.`,
      details: { supported: chainIds },
    },
    invalid_maturity: { message: 'maturity "7;14" is not available. Use days separated by commas, such as 7,14.' },
    invalid_parameter: {
      message: `Unknown query parameter "chainId". ${parameters ? `Use ${parameters}.` : 'This path accepts none.'}`,
    },
    invalid_chains: path.startsWith('/data/') ? otherChain(Number(path.slice('/data/'.length))) : noChain(dataChainIds),
    query_rejected: {
      message: 'The query is 11 levels deep; the limit is 10. Query the deeper levels by id.',
      details: { limit: 'depth', max: 10, found: '11' },
    },
    persisted_query_not_found: { message: 'PersistedQueryNotFound' },
    invalid_request: { message: '"query" must be a string that contains a GraphQL query.' },
  }
}

function noChain(supported: readonly number[]): ErrorExample {
  const message = `"variables.chains" must contain at least one chain id. Supported: ${supported.join(', ') || 'none'}.`
  return { message, details: { supported } }
}

function otherChain(chain: number): ErrorExample {
  const message = `This path queries chain ${chain} only. Remove "variables.chains", or use POST /data for several chains.`
  return { message, details: { supported: [chain] } }
}

/** Errors that the caller did not cause. */
function failures({ dataChainIds, chainIds }: DocumentContext): Partial<Record<ErrorCode, ErrorExample>> {
  const chain = dataChainIds[0] ?? chainIds[0]
  const failed = (code: ErrorCode, { message, failure }: { readonly message: string; readonly failure: string }) => ({
    message: `Chain ${chain}: ${message}`,
    details: { chains: [{ chain, errors: [{ message, code, details: { failure } }] }] },
  })
  return {
    internal_error: {
      message: 'An internal error occurred. It is logged under this requestId. Try again later.',
    },
    notes_unavailable: {
      message: 'There are no notes for the current period. Notes of earlier periods have expired. Retry in 5 seconds.',
    },
    upstream_failed: failed('upstream_failed', {
      message: 'The chain’s subgraph cannot be reached (ECONNREFUSED). Try again later.',
      failure: 'refused',
    }),
    upstream_timeout: failed('upstream_timeout', {
      message: 'The chain’s subgraph did not answer in time. Try again or select less.',
      failure: 'slow_headers',
    }),
  }
}
