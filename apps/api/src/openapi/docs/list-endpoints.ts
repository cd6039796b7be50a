import type { OpenapiDocument, Operation } from '../document.ts'

export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation }

/** Returns all operations in the order of the document. */
export function listEndpoints({ paths }: Pick<OpenapiDocument, 'paths'>): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}
