import { type DataRequestBody, type DataResponse, positionQuery } from '@tallystick/core'
import { queryLimits } from '../data/query-limits.ts'
import type { DocumentContext, Endpoint, Example, Operation } from './document.ts'
import { errorResponses } from './error-responses.ts'
import { headerReferences } from './headers.ts'
import { bodyOption, curl, jsonHeader, keyHeader, typescript } from './samples.ts'
import { schemaReference } from './schemas.ts'

const count = (value: number) => value.toLocaleString('en-US')
const description = `Runs a GraphQL query on the protocol’s subgraph of one or more chains, all at once. There are \`positionInfos\`, \`accounts\`, \`partners\`, \`floatingIncomes\`, \`pools\` and \`protocolDays\`, in the dialect of graph-node, with \`block\` for time travel. Introspection is allowed.

Amounts are in the dollar token’s smallest unit (18 decimals), instants in Unix seconds, coupons and fees in basis points; all of them are decimal strings.

A chain that failed has \`"data": null\` and its \`errors\`; the others’ data is good. The answer is a 200 if at least one chain has data.

Limits: a body of 64 KiB, ${count(queryLimits.tokens)} tokens, ${queryLimits.depth} levels, ${queryLimits.rootFields} root fields, ${queryLimits.aliases} aliases, ${count(queryLimits.fields)} fields, and ${count(queryLimits.rows)} rows along one path (the product of \`first\`, 100 where it is left out).`

const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** `POST /data` (SPEC.md §4.2). */
export function describeData(context: DocumentContext, endpoint: Endpoint): Operation {
  return describe(context, {
    endpoint,
    operationId: 'queryData',
    summary: 'Ask the subgraphs of some chains',
    description,
  })
}

/** `POST /graphql`, which is the same under an old name. */
export function describeGraphql(context: DocumentContext, endpoint: Endpoint): Operation {
  const operation = describe(context, {
    endpoint,
    operationId: 'queryDataByOldName',
    summary: 'Ask by the old name of /data',
    description: 'The same as `POST /data`, under the name one example of the specification has. Use `/data`.',
  })
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...headerReferences('Deprecation', 'Link') } },
  ])
  // No program of today should use it: the old name has a command line and no more.
  const samples = operation['x-codeSamples'].filter(({ lang }) => lang === 'Shell')
  return { ...operation, deprecated: true, responses: Object.fromEntries(responses), 'x-codeSamples': samples }
}

type About = Pick<Operation, 'operationId' | 'summary' | 'description'> & { readonly endpoint: Endpoint }

function describe(context: DocumentContext, { endpoint, ...about }: About): Operation {
  const chain = context.dataChainIds[0] ?? context.chainIds[0] ?? 324
  return {
    ...about,
    tags: ['Data'],
    security: [{ apiKey: [] }],
    requestBody: {
      description: 'A query, its variables, and the chains to ask. Any other member is refused.',
      required: true,
      content: { 'application/json': { schema: schemaReference('DataRequest'), examples: requests(chain) } },
    },
    responses: {
      200: {
        description: 'One element per chain, in the order of `chains`.',
        headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'x-tallystick-chains'),
        content: { 'application/json': { schema: schemaReference('DataResponse'), examples: answers(chain) } },
      },
      ...errorResponses(context, {
        endpoint,
        codes: [
          'invalid_chains',
          'query_rejected',
          'invalid_request',
          'payload_too_large',
          'unsupported_media_type',
          'upstream_failed',
          'upstream_timeout',
        ],
      }),
    },
    'x-codeSamples': samples(endpoint.path, chain),
  }
}

function samples(path: string, chain: number) {
  const query = '{ positionInfos(first: 3, orderBy: tokenId, orderDirection: desc) { tokenId principal status } }'
  const body = { query, variables: { chains: [chain] } }
  return [
    curl(`curl "$TALLYSTICK_URL${path}"`, keyHeader, jsonHeader, bodyOption(body)),
    typescript(
      `const [chain] = await client.positions('${wallet}', { chains: [${chain}] })`,
      'for (const position of chain?.positions ?? []) console.log(position.tokenId, position.principal)',
    ),
  ]
}

function requests(chain: number): Readonly<Record<string, Example & { readonly value: DataRequestBody }>> {
  const chains = [chain]
  return {
    positions: {
      summary: 'The positions of a wallet, the newest first',
      value: { query: positionQuery, variables: { chains, walletAddress: wallet } },
    },
    earnings: {
      summary: 'What a wallet has earned',
      value: {
        query: 'query Earnings($wallet: ID!) { account(id: $wallet) { activePrincipal totalIncome totalFees } }',
        variables: { chains, wallet },
      },
    },
    protocol: {
      summary: 'The pool, and the last week of the protocol',
      value: {
        query:
          '{ pools { activePositions activePrincipal paused } ' +
          'protocolDays(first: 7, orderBy: day, orderDirection: desc) { day lent claimed income } }',
        variables: { chains },
      },
    },
  }
}

function answers(chain: number): Readonly<Record<string, Example & { readonly value: DataResponse }>> {
  const position = {
    tokenId: '40',
    owner: wallet,
    initalOwner: wallet,
    initiator: wallet,
    coupon: '369',
    principal: '25000000000000000000000',
    lendTimestamp: '1794700800',
    maturityTimestamp: '1795237200',
    partnerFeeBPS: '500',
    partnerId: '0x2cf7a5f2c3c1b0b6a8f2b5d7f4e6b1c09a38d5e7f60412b3c4d5e6f708192a3b',
    status: 'Active',
    lendTransactionHash: '0x8f1c5b2a9d3e4f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
  }
  const failure = {
    message: 'The chain’s subgraph did not answer in time. Try again, or ask for less at once.',
    code: 'upstream_timeout',
    details: { failure: 'slow_headers' },
  } as const
  return {
    positions: { summary: 'The positions of a wallet', value: [{ chain, data: { positionInfos: [position] } }] },
    partial: {
      summary: 'One of two chains failed',
      value: [
        { chain, data: { pools: [{ activePositions: 27 }] } },
        { chain: 10, data: null, errors: [failure] },
      ],
    },
  }
}
