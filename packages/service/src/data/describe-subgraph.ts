import type { OpenapiOperation, OpenapiParameter } from '@tallystick/core'
import { publicQueryLimits as limits } from '@tallystick/gateway'
import { errorResponses } from '../openapi/error-responses.ts'
import { headerReferences } from '../openapi/headers.ts'
import { bodyOption, curl, jsonHeader } from '../openapi/samples.ts'
import { allowOnly, schemaReference } from '../openapi/schemas.ts'
import type { DocumentContext, Endpoint } from '../routing/document.ts'

const count = (value: number) => value.toLocaleString('en-US')
const description = `The embedded subgraph of a chain as a GraphQL endpoint for any GraphQL client. It needs no key. Requests are limited per address.

As with graph-node, a query that fails is a 200 with \`errors\`. Only a request that is not GraphQL is a 400.

Limits of a query: a body of 64 KiB, ${count(limits.tokens)} tokens, ${limits.depth} levels, ${limits.rootFields} root fields, ${limits.aliases} aliases, ${count(limits.fields)} fields, ${count(limits.rows)} rows along one path (the product of \`first\`, 100 by default), and an answer of 8 MiB. A query that exceeds a limit is a 200 with a message in \`errors\`. Each address has a limit of requests per minute and of query time per minute. A request beyond either is a 429. An IPv6 network of 64 bits counts as one address.`

const exampleQuery = '{ _meta { block { number } } positionInfos(first: 3) { tokenId status } }'

/** `POST /subgraphs/<chainid>`. */
export function describeSubgraph(context: DocumentContext, endpoint: Endpoint): OpenapiOperation {
  const chain = context.subgraphChainIds[0] ?? 324
  return {
    operationId: 'querySubgraph',
    tags: ['Subgraph'],
    summary: 'Query the embedded subgraph of one chain',
    description,
    security: [],
    parameters: [chainIdParameter(context)],
    requestBody: {
      description: 'A GraphQL request. Other members are ignored.',
      required: true,
      content: {
        'application/json': {
          schema: schemaReference('GraphqlRequest'),
          examples: { head: { summary: 'The head, and three positions', value: { query: exampleQuery } } },
        },
      },
    },
    responses: responses(context, endpoint),
    'x-codeSamples': [
      curl(`curl "$TALLYSTICK_URL/subgraphs/${chain}"`, jsonHeader, bodyOption({ query: exampleQuery })),
    ],
  }
}

/** `GET /subgraphs/<chainid>`. */
export function describeSubgraphGet(context: DocumentContext, endpoint: Endpoint): OpenapiOperation {
  const chain = context.subgraphChainIds[0] ?? 324
  return {
    operationId: 'querySubgraphByGet',
    tags: ['Subgraph'],
    summary: 'Query the embedded subgraph of one chain by GET',
    description: 'Same as POST, with the request in the query string.',
    security: [],
    parameters: [chainIdParameter(context), ...graphqlParameters({ isQueryRequired: true })],
    responses: responses(context, endpoint),
    'x-codeSamples': [
      curl(`curl -G "$TALLYSTICK_URL/subgraphs/${chain}"`, `--data-urlencode 'query={ _meta { block { number } } }'`),
    ],
  }
}

function chainIdParameter({ subgraphChainIds }: DocumentContext): OpenapiParameter {
  const schema = { type: 'integer', 'x-unit': 'chain id', examples: [subgraphChainIds[0] ?? 324] }
  return {
    name: 'chainid',
    in: 'path',
    required: true,
    description: 'The chain. Only those with an embedded subgraph have one. [chain id]',
    schema: allowOnly(schema, subgraphChainIds),
  }
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

function responses(context: DocumentContext, endpoint: Endpoint) {
  const answer = {
    _meta: { block: { number: 5184123 } },
    positionInfos: [{ tokenId: '1', status: 'Claimed' }],
  }
  return {
    200: {
      description: 'What the subgraph answered: `data`, or `errors`.',
      headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'x-tallystick-chains'),
      content: {
        'application/json': {
          schema: schemaReference('GraphqlAnswer'),
          examples: { head: { summary: 'The head, and a position', value: { data: answer } } },
        },
      },
    },
    ...errorResponses(context, {
      endpoint: { ...endpoint, path: '/subgraphs/324' },
      codes: ['invalid_request', 'not_found', 'payload_too_large', 'unsupported_media_type', 'not_ready'],
    }),
  }
}
