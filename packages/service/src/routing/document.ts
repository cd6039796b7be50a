import type { KeyScope, OpenapiOperation } from '@tallystick/core'

/** Scope of a route. With `any`, every valid key may use it. */
export type RouteScope = KeyScope | 'any'

/** Chains of the service that a document describes. */
export type DocumentChains = {
  /** Chains with notes and rates, ascending. At least one. */
  readonly chainIds: readonly number[]
  /** Chains that `/data` can query. */
  readonly dataChainIds: readonly number[]
  /** Chains whose embedded subgraph is served. */
  readonly subgraphChainIds: readonly number[]
}

export type DocumentContext = DocumentChains & {
  /** URLs of the API, as the response to an unknown path lists them. */
  readonly endpoints: readonly string[]
}

/** Endpoint that an operation belongs to, from the declaration of its route. */
export type Endpoint = {
  readonly path: string
  readonly allow: string
  /** Undefined if no key is needed. */
  readonly scope?: RouteScope | undefined
}

export type DescribeOperation = (context: DocumentContext, endpoint: Endpoint) => OpenapiOperation
