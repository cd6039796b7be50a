import { quote } from '@tallystick/base'
import { dataEnvelopeSchema, TallystickError } from '@tallystick/core'
import type { z } from 'zod'

/** Parsed body of `POST /data` (SPEC.md §4.2). */
export type DataRequest = {
  readonly query: string
  /** Without `chains`. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly chains: readonly number[]
  readonly operationName: string | undefined
}

/** Parses a body. Rejects unknown members instead of ignoring them. */
export function parseDataRequest(body: unknown, chainIds: readonly number[]): DataRequest {
  const { data: envelope, error } = dataEnvelopeSchema.safeParse(body)
  if (!envelope) throw malformed(explain(error.issues))
  const { query, operationName, variables: { chains, ...variables } = {} } = envelope
  return { query, variables, chains: parseChains(chains, chainIds), operationName: operationName ?? undefined }
}

function explain(issues: readonly z.core.$ZodIssue[]): string {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
  if (unknown[0] !== undefined)
    return `The body has an unknown member ${quote(unknown[0])}. Allowed members: ${members}.`
  return complaints[String(issues[0]?.path[0])] ?? 'The body must be a JSON object with "query" and "variables".'
}

const members = 'query, variables, operationName, extensions'
const complaints: Readonly<Record<string, string>> = {
  query: '"query" must be a string that contains a GraphQL query.',
  operationName: '"operationName" must be a string.',
  extensions: '"extensions" must be an object.',
  variables: '"variables" must be an object with "chains" and the variables of the query.',
}

function parseChains(chains: unknown, chainIds: readonly number[]): readonly number[] {
  const fault = findChainsFault(chains, chainIds)
  if (fault === undefined) return chains as readonly number[]
  throw new TallystickError({
    code: 'invalid_chains',
    message: `${fault} Supported: ${chainIds.join(', ') || 'none'}.`,
    retryable: false,
    details: { supported: chainIds },
  })
}

function findChainsFault(chains: unknown, chainIds: readonly number[]): string | undefined {
  if (chains === undefined) return '"variables.chains" is missing. It lists the chains to query, for example [324].'
  if (!Array.isArray(chains)) return `"variables.chains" must be a list of chain ids, not ${quote(chains)}.`
  if (chains.length === 0) return '"variables.chains" must contain at least one chain id.'
  const unsupported = chains.find((chain) => !chainIds.includes(chain))
  if (unsupported !== undefined) return `"variables.chains" contains ${quote(unsupported)}, which is not supported.`
  const repeated = chains.find((chain, index) => chains.indexOf(chain) !== index)
  return repeated === undefined ? undefined : `"variables.chains" contains ${repeated} twice.`
}

function malformed(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_request', message, retryable: false })
}
