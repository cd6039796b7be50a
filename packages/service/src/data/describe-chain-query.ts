import type {
  ErrorBody,
  ErrorCode,
  MediaType,
  OpenapiExample,
  OpenapiOperation,
  OpenapiParameter,
  OpenapiResponse,
} from '@tallystick/core'
import { errorResponses } from '../openapi/error-responses.ts'
import { headerReferences } from '../openapi/headers.ts'
import { bodyOption, curl, jsonHeader, keyHeader } from '../openapi/samples.ts'
import { allowOnly, schemaReference } from '../openapi/schemas.ts'
import type { DocumentContext, Endpoint } from '../routing/document.ts'
import { graphqlParameters, textParameter } from './describe-subgraph.ts'
import { encodeFailure, type GraphqlType, graphqlTypes } from './graphql-answer.ts'

const description = `Runs a GraphQL query on one chain, as the [GraphQL over HTTP specification](https://graphql.github.io/graphql-over-http/) has it, so that Apollo Client, urql, graphql-request and code generators work with the URL and the \`x-api-key\` header alone. Data, limits, cache and \`x-tallystick-chains\` are those of \`POST /data\`.

Errors are in \`errors\`, with the code in \`extensions.code\`. \`Accept\` chooses the media type. As \`application/graphql-response+json\`, which is the default, an error has its status below. As \`application/json\`, \`query_rejected\`, \`persisted_query_not_found\`, \`upstream_failed\` and \`upstream_timeout\` have the status 200, and every other error has the members of all other error responses too.

Automatic persisted queries are supported: \`extensions.persistedQuery\` with \`version\` 1 and \`sha256Hash\`, without \`query\` if this replica knows the hash. Batches are not supported.`

const exampleQuery = '{ positionInfos(first: 3, orderBy: tokenId, orderDirection: desc) { tokenId principal status } }'
const exampleData = { positionInfos: [{ tokenId: '40', principal: '25000000000000000000000', status: 'Active' }] }

/** `POST /data/<chainid>`. */
export function describeChainQuery(context: DocumentContext, endpoint: Endpoint): OpenapiOperation {
  const chain = chainOf(context)
  return {
    operationId: 'queryChain',
    tags: ['Data'],
    summary: 'Query the subgraph of one chain with any GraphQL client',
    description,
    security: [{ apiKey: [] }],
    parameters: [chainParameter(context)],
    requestBody: {
      description: 'A GraphQL request. `query` may be absent if `extensions` has its hash. Other members are ignored.',
      required: true,
      content: {
        'application/json': {
          schema: schemaReference('GraphqlRequest'),
          examples: { positions: { summary: 'The newest positions', value: { query: exampleQuery } } },
        },
      },
    },
    responses: responses(context, {
      endpoint,
      codes: ['invalid_request', 'payload_too_large', 'unsupported_media_type'],
    }),
    'x-codeSamples': [
      curl(`curl "$TALLYSTICK_URL/data/${chain}"`, keyHeader, jsonHeader, bodyOption({ query: exampleQuery })),
    ],
  }
}

/** `GET /data/<chainid>`. */
export function describeChainQueryGet(context: DocumentContext, endpoint: Endpoint): OpenapiOperation {
  return {
    operationId: 'queryChainByGet',
    tags: ['Data'],
    summary: 'Query the subgraph of one chain by GET',
    description: 'Same as POST, with the request in the query string. The URL may have about 16 KB.',
    security: [{ apiKey: [] }],
    parameters: [
      chainParameter(context),
      ...graphqlParameters({ isQueryRequired: false }),
      textParameter('extensions', {
        description: 'Extensions of the request. Only `persistedQuery` is read.',
        unit: 'JSON',
        example: `{"persistedQuery":{"version":1,"sha256Hash":"${'0123456789abcdef'.repeat(4)}"}}`,
      }),
    ],
    responses: responses(context, { endpoint, codes: ['invalid_parameter', 'invalid_request'] }),
    'x-codeSamples': [
      curl(
        `curl -G "$TALLYSTICK_URL/data/${chainOf(context)}"`,
        keyHeader,
        `--data-urlencode 'query={ _meta { block { number } } }'`,
      ),
    ],
  }
}

function chainOf({ dataChainIds, chainIds }: DocumentContext): number {
  return dataChainIds[0] ?? chainIds[0] ?? 324
}

function chainParameter(context: DocumentContext): OpenapiParameter {
  const schema = { type: 'integer', 'x-unit': 'chain id', examples: [chainOf(context)] }
  return {
    name: 'chainid',
    in: 'path',
    required: true,
    description: 'The chain, embedded or remote. [chain id]',
    schema: allowOnly(schema, context.dataChainIds),
  }
}

const codesOfQuery: readonly ErrorCode[] = [
  'query_rejected',
  'persisted_query_not_found',
  'invalid_chains',
  'upstream_failed',
  'upstream_timeout',
]

function responses(
  context: DocumentContext,
  { endpoint, codes }: { readonly endpoint: Endpoint; readonly codes: readonly ErrorCode[] },
): OpenapiOperation['responses'] {
  const ofChain = { ...endpoint, path: `/data/${chainOf(context)}`, mediaTypes: graphqlTypes }
  const failures = errorResponses(context, { endpoint: ofChain, codes: [...codesOfQuery, ...codes] })
  const examples = { positions: { summary: 'The newest positions', value: { data: exampleData } } }
  const success = { schema: schemaReference('GraphqlAnswer'), examples }
  return {
    200: {
      description: '`data`, and `errors` if a part of it failed. As `application/json` also `errors` alone.',
      headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'x-tallystick-chains'),
      content: Object.fromEntries(graphqlTypes.map((type) => [type, success])),
    },
    ...Object.fromEntries(Object.entries(failures).map(([status, response]) => [status, toGraphql(response)])),
  }
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
