import { type DocumentLike, printDocument } from './print-document.ts'

/** Type marker of code generators for the result and the variables of a document. */
export type DocumentTypes<Result, Variables> = {
  readonly __apiType?: ((variables: Variables) => Result) | undefined
}

/**
 * Document with the types of its result and its variables: a `TypedDocumentNode` or codegen's `TypedDocumentString`.
 */
export type TypedDocument<Result, Variables> = DocumentTypes<Result, Variables> &
  (DocumentLike | { readonly length: number; toString(): string })

/** Returns the text of a query. */
export function textOf(query: string | TypedDocument<unknown, never>): string {
  return typeof query === 'object' && 'kind' in query ? printDocument(query) : query.toString()
}
