import type { OpenapiDocument, OpenapiExample, OpenapiOperation, OpenapiResponse } from '@tallystick/core'

export type ListedOperation = { readonly method: string; readonly path: string; readonly operation: OpenapiOperation }

/** Returns all operations in the order of the document. */
export function listOperations({ paths }: Pick<OpenapiDocument, 'paths'>): readonly ListedOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

export type ListedFailure = { readonly code: string; readonly status: string; readonly example: unknown }

/** Returns the errors of an operation, by status and code. */
export function listFailures({ responses }: OpenapiOperation): readonly ListedFailure[] {
  return Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, { content }]) =>
      Object.entries(examplesOf(content)).map(([code, { value }]) => ({
        code,
        status,
        example: value,
      })),
    )
}

/** Returns the examples of a response by code. A GraphQL endpoint sends some errors in a media type of its own only. */
function examplesOf(content: OpenapiResponse['content'] = {}): Readonly<Record<string, OpenapiExample>> {
  const { 'application/json': json, ...others } = content
  return Object.assign({}, ...Object.values(others).map(({ examples }) => examples), json?.examples)
}
