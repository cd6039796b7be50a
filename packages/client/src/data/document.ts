import { type DocumentLike, printDocument } from './print-document.ts'

/** The mark by which code generators tell the result and the variables of a document. */
export type DocumentTypes<Result, Variables> = {
  readonly __apiType?: ((variables: Variables) => Result) | undefined
}

/**
 * A document that knows the type of its result and of its variables: a `TypedDocumentNode`, or codegen's
 * `TypedDocumentString`.
 */
export type TypedDocument<Result, Variables> = DocumentTypes<Result, Variables> &
  (DocumentLike | { readonly length: number; toString(): string })

/** The text of a query, however it is held. */
export function textOf(query: string | TypedDocument<unknown, never>): string {
  return typeof query === 'object' && 'kind' in query ? printDocument(query) : query.toString()
}
