export type Sample = { readonly language: string; readonly source: string }

/** A piece of a page: text as HTML, or something that the page makes interactive. */
export type Part =
  | { readonly kind: 'html'; readonly html: string }
  /** The same example in several languages. */
  | { readonly kind: 'samples'; readonly samples: readonly Sample[] }
  /** Output, or a text of another kind. */
  | { readonly kind: 'text'; readonly source: string }
  /** A form that sends the request of an operation. */
  | { readonly kind: 'try'; readonly operationId: string }
  /** The example of an error code. */
  | { readonly kind: 'error'; readonly code: string }
