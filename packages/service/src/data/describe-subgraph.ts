import type { OpenapiParameter } from '@tallystick/core'
import { publicQueryLimits as limits } from '@tallystick/gateway'
import { type Description, describeOperation, jsonContent } from '../openapi/describe-operation.ts'
import { bodyOption, curl, jsonHeader } from '../openapi/samples.ts'
import { chainParameter } from '../openapi/schemas.ts'
import type { DescribeOperation } from '../routing/document.ts'

const count = (value: number) => value.toLocaleString('en-US')
const description = `The embedded subgraph of a chain as a GraphQL endpoint for any GraphQL client. It needs no key. Requests are limited per address.

As with graph-node, a query that fails is a 200 with \`errors\`. Only a request that is not GraphQL is a 400.

Limits of a query: a body of 64 KiB, ${count(limits.tokens)} tokens, ${limits.depth} levels, ${limits.rootFields} root fields, ${limits.aliases} aliases, ${count(limits.fields)} fields, ${count(limits.rows)} rows along one path (the product of \`first\`, 100 by default), and an answer of 8 MiB. A query that exceeds a limit is a 200 with a message in \`errors\`. Each address has a limit of requests per minute and of query time per minute. A request beyond either is a 429. An IPv6 network of 64 bits counts as one address.`

const exampleQuery = '{ _meta { block { number } } positionInfos(first: 3) { tokenId status } }'

/** `POST /subgraphs/<chainid>`. */
export const describeSubgraph = describe(({ chain, chainId }) => ({
  operationId: 'querySubgraph',
  summary: 'Query the embedded subgraph of one chain',
  description,
  parameters: [chainId],
  requestBody: {
    description: 'A GraphQL request. Other members are ignored.',
    required: true,
    content: jsonContent('GraphqlRequest', {
      head: { summary: 'The head, and three positions', value: { query: exampleQuery } },
    }),
  },
  samples: [curl(`curl "$TALLYSTICK_URL/subgraphs/${chain}"`, jsonHeader, bodyOption({ query: exampleQuery }))],
}))

/** `GET /subgraphs/<chainid>`. */
export const describeSubgraphGet = describe(({ chain, chainId }) => ({
  operationId: 'querySubgraphByGet',
  summary: 'Query the embedded subgraph of one chain by GET',
  description: 'Same as POST, with the request in the query string.',
  parameters: [chainId, ...graphqlParameters({ isQueryRequired: true })],
  samples: [
    curl(`curl -G "$TALLYSTICK_URL/subgraphs/${chain}"`, `--data-urlencode 'query={ _meta { block { number } } }'`),
  ],
}))

type Own = Omit<Description, 'tag' | 'response' | 'content' | 'headers' | 'codes'>

/** Creates the description of an endpoint. `chain` is that of the examples, `chainId` the parameter in the path. */
function describe(own: (of: { readonly chain: number; readonly chainId: OpenapiParameter }) => Own): DescribeOperation {
  return (context, endpoint) => {
    const { subgraphChainIds: chainIds } = context
    const chain = chainIds[0] ?? 324
    const chainId = chainParameter('The chain. Only those with an embedded subgraph have one.', {
      chainIds,
      example: chain,
    })
    const description: Description = {
      ...own({ chain, chainId }),
      tag: 'Subgraph',
      response: 'What the subgraph answered: `data`, or `errors`.',
      content: jsonContent('GraphqlAnswer', { head: { summary: 'The head, and a position', value: exampleAnswer } }),
      headers: ['x-tallystick-chains'],
      codes: ['invalid_request', 'not_found', 'payload_too_large', 'unsupported_media_type', 'not_ready'],
    }
    return describeOperation(description, { context, endpoint: { ...endpoint, path: '/subgraphs/324' } })
  }
}

const exampleAnswer = {
  data: { _meta: { block: { number: 5184123 } }, positionInfos: [{ tokenId: '1', status: 'Claimed' }] },
}

/** Describes a GraphQL request in a query string. */
export function graphqlParameters({
  isQueryRequired,
}: {
  readonly isQueryRequired: boolean
}): readonly OpenapiParameter[] {
  return [
    textParameter('query', {
      description: 'A GraphQL document with a query.',
      unit: 'GraphQL text',
      example: exampleQuery,
      required: isQueryRequired,
    }),
    textParameter('variables', {
      description: 'The variables the query declares.',
      unit: 'JSON',
      example: '{"first":3}',
    }),
    textParameter('operationName', {
      description: 'Operation to run if `query` contains several.',
      unit: 'name in `query`',
      example: 'Head',
    }),
  ]
}

/** Describes a parameter of a query string. */
export function textParameter(
  name: string,
  {
    description,
    unit,
    example,
    required = false,
  }: { readonly description: string; readonly unit: string; readonly example: string; readonly required?: boolean },
): OpenapiParameter {
  const schema = { type: 'string', 'x-unit': unit, examples: [example] }
  return { name, in: 'query', required, description: `${description} [${unit}]`, schema }
}
