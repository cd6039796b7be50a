import { TallystickError } from '@tallystick/core'
import { quote } from '../quote.ts'

/** What a body of `POST /data` asks for (SPEC.md §4.2). */
export type DataRequest = {
  readonly query: string
  /** Without `chains`. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly chains: readonly number[]
  readonly operationName: string | undefined
}

const members = ['query', 'variables', 'operationName', 'extensions']

/** Reads a body. Strict: a member that we would pass over is refused, because its sender means something by it. */
export function parseDataRequest(body: unknown, chainIds: readonly number[]): DataRequest {
  if (!isObject(body)) throw malformed('The body must be a JSON object with "query" and "variables".')
  const unknown = Object.keys(body).find((member) => !members.includes(member))
  if (unknown !== undefined) {
    throw malformed(`There is no member ${quote(unknown)} in the body. There are ${members.join(', ')}.`)
  }
  const { query, variables, operationName, extensions } = body
  if (typeof query !== 'string') throw malformed('"query" must be a string that holds a GraphQL query.')
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw malformed('"operationName" must be a string.')
  }
  if (extensions !== undefined && extensions !== null && !isObject(extensions)) {
    throw malformed('"extensions" must be an object.')
  }
  if (variables !== undefined && !isObject(variables)) {
    throw malformed('"variables" must be an object that holds "chains" and what the query declares.')
  }
  const { chains, ...others } = variables ?? {}
  return {
    query,
    variables: others,
    chains: parseChains(chains, chainIds),
    operationName: operationName ?? undefined,
  }
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
  if (chains === undefined) return '"variables.chains" is missing: it says which chains to ask, such as [324].'
  if (!Array.isArray(chains)) return `"variables.chains" must be a list of chain ids, not ${quote(chains)}.`
  if (chains.length === 0) return '"variables.chains" must hold at least one chain id.'
  const unsupported = chains.find((chain) => !chainIds.includes(chain))
  if (unsupported !== undefined) return `"variables.chains" holds ${quote(unsupported)}, which is not supported.`
  const repeated = chains.find((chain, index) => chains.indexOf(chain) !== index)
  return repeated === undefined ? undefined : `"variables.chains" holds ${repeated} twice.`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_request', message, retryable: false })
}
