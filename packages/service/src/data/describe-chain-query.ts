import type {
  ErrorBody,
  ErrorCode,
  MediaType,
  OpenapiExample,
  OpenapiParameter,
  OpenapiResponse,
} from '@tallystick/core'
import { type Description, describeOperation, jsonContent } from '../openapi/describe-operation.ts'
import { bodyOption, curl, jsonHeader, keyHeader } from '../openapi/samples.ts'
import { chainParameter, schemaReference } from '../openapi/schemas.ts'
import type { DescribeOperation } from '../routing/document.ts'
import { graphqlParameters, textParameter } from './describe-subgraph.ts'
import { encodeFailure, type GraphqlType, graphqlTypes } from './graphql-answer.ts'

const description = `Runs a GraphQL query on one chain, as the [GraphQL over HTTP specification](https://graphql.github.io/graphql-over-http/) has it, so that Apollo Client, urql, graphql-request and code generators work with the URL and the \`x-api-key\` header alone. Data, limits, cache and \`x-tallystick-chains\` are those of \`POST /data\`.

Errors are in \`errors\`, with the code in \`extensions.code\`. \`Accept\` chooses the media type. As \`application/graphql-response+json\`, which is the default, an error has its status below. As \`application/json\`, \`query_rejected\`, \`persisted_query_not_found\`, \`upstream_failed\` and \`upstream_timeout\` have the status 200, and every other error has the members of all other error responses too.

Automatic persisted queries are supported: \`extensions.persistedQuery\` with \`version\` 1 and \`sha256Hash\`, without \`query\` if this replica knows the hash. Batches are not supported.`

const exampleQuery = '{ positionInfos(first: 3, orderBy: tokenId, orderDirection: desc) { tokenId principal status } }'
const exampleData = { positionInfos: [{ tokenId: '40', principal: '25000000000000000000000', status: 'Active' }] }

/** `POST /data/<chainid>`. */
export const describeChainQuery = describe(({ chain, chainId }) => ({
  operationId: 'queryChain',
  summary: 'Query the subgraph of one chain with any GraphQL client',
  description,
  parameters: [chainId],
  requestBody: {
    description: 'A GraphQL request. `query` may be absent if `extensions` has its hash. Other members are ignored.',
    required: true,
    content: jsonContent('GraphqlRequest', {
      positions: { summary: 'The newest positions', value: { query: exampleQuery } },
    }),
  },
  codes: ['invalid_request', 'payload_too_large', 'unsupported_media_type'],
  samples: [curl(`curl "$TALLYSTICK_URL/data/${chain}"`, keyHeader, jsonHeader, bodyOption({ query: exampleQuery }))],
}))

/** `GET /data/<chainid>`. */
export const describeChainQueryGet = describe(({ chain, chainId }) => ({
  operationId: 'queryChainByGet',
  summary: 'Query the subgraph of one chain by GET',
  description: 'Same as POST, with the request in the query string. The URL may have about 16 KB.',
  parameters: [
    chainId,
    ...graphqlParameters({ isQueryRequired: false }),
    textParameter('extensions', {
      description: 'Extensions of the request. Only `persistedQuery` is read.',
      unit: 'JSON',
      example: `{"persistedQuery":{"version":1,"sha256Hash":"${'0123456789abcdef'.repeat(4)}"}}`,
    }),
  ],
  codes: ['invalid_parameter', 'invalid_request'],
  samples: [
    curl(
      `curl -G "$TALLYSTICK_URL/data/${chain}"`,
      keyHeader,
      `--data-urlencode 'query={ _meta { block { number } } }'`,
    ),
  ],
}))

const codesOfQuery: readonly ErrorCode[] = [
  'query_rejected',
  'persisted_query_not_found',
  'invalid_chains',
  'upstream_failed',
  'upstream_timeout',
]

type Own = Omit<Description, 'tag' | 'response' | 'content' | 'headers'>

/** Creates the description of an endpoint. `chain` is that of the examples, `chainId` the parameter in the path. */
function describe(own: (of: { readonly chain: number; readonly chainId: OpenapiParameter }) => Own): DescribeOperation {
  return (context, endpoint) => {
    const { dataChainIds: chainIds } = context
    const chain = chainIds[0] ?? context.chainIds[0] ?? 324
    const { codes, ...about } = own({
      chain,
      chainId: chainParameter('The chain, embedded or remote.', { chainIds, example: chain }),
    })
    const description: Description = {
      ...about,
      tag: 'Data',
      response: '`data`, and `errors` if a part of it failed. As `application/json` also `errors` alone.',
      content: Object.fromEntries(graphqlTypes.map((type) => [type, success])),
      headers: ['x-tallystick-chains'],
      codes: [...codesOfQuery, ...codes],
    }
    const operation = describeOperation(description, { context, endpoint: { ...endpoint, path: `/data/${chain}` } })
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      status === '200' ? response : toGraphql(response),
    ])
    return { ...operation, responses: Object.fromEntries(responses) }
  }
}

const success = {
  schema: schemaReference('GraphqlAnswer'),
  examples: { positions: { summary: 'The newest positions', value: { data: exampleData } } },
}

/** Adds the media type of GraphQL to an error response, and `errors` to its JSON. */
function toGraphql({ content, ...response }: OpenapiResponse): OpenapiResponse {
  const examples = Object.entries(content?.['application/json']?.examples ?? {})
  const media = graphqlTypes.map((type) => [type, encodeExamples(examples, type)] as const)
  return {
    ...response,
    content: Object.fromEntries(media.filter(([, { examples = {} }]) => Object.keys(examples).length > 0)),
  }
}

function encodeExamples(examples: readonly (readonly [string, OpenapiExample])[], type: GraphqlType): MediaType {
  const encoded = examples.flatMap(([code, { summary, value }]) => {
    const { status, body } = encodeFailure(value as ErrorBody, type)
    return status < 400 ? [] : [[code, { summary, value: body }] as const]
  })
  const name = type === 'application/json' ? 'GraphqlFailure' : 'GraphqlAnswer'
  return { schema: schemaReference(name), examples: Object.fromEntries(encoded) }
}
