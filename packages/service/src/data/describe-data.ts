import {
  type DataRequestBody,
  type DataResponse,
  type OpenapiExample,
  type OpenapiOperation,
  positionQuery,
} from '@tallystick/core'
import { queryLimits } from '@tallystick/gateway'
import { type Description, describeOperation, jsonContent } from '../openapi/describe-operation.ts'
import { headerReferences } from '../openapi/headers.ts'
import { bodyOption, curl, jsonHeader, keyHeader, typescript } from '../openapi/samples.ts'
import type { DocumentContext, Endpoint } from '../routing/document.ts'

const count = (value: number) => value.toLocaleString('en-US')
const description = `Runs a GraphQL query on the protocol’s subgraph of one or more chains concurrently. The entities are \`positionInfos\`, \`accounts\`, \`partners\`, \`floatingIncomes\`, \`pools\` and \`protocolDays\`. The dialect is graph-node’s, with \`block\` for time travel. Introspection is allowed.

Amounts are in the dollar token’s smallest unit (18 decimals), times in Unix seconds, coupons and fees in basis points. All are decimal strings.

\`variables.chains\` selects the chains. The query may declare it (\`query ($chains: [Int!]!)\`), but not use it: it is never sent to a subgraph. GraphQL clients that expect one object and not an array use \`/data/{chainid}\`.

A chain that failed has \`"data": null\` and \`errors\`. The data of the other chains is valid. The status is 200 if at least one chain has data.

Limits: a body of 64 KiB, ${count(queryLimits.tokens)} tokens, ${queryLimits.depth} levels, ${queryLimits.rootFields} root fields, ${queryLimits.aliases} aliases, ${count(queryLimits.fields)} fields, and ${count(queryLimits.rows)} rows along one path (the product of \`first\`, 100 by default).`

const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** `POST /data` (SPEC.md §4.2). */
export function describeData(context: DocumentContext, endpoint: Endpoint): OpenapiOperation {
  return describe(context, {
    endpoint,
    operationId: 'queryData',
    summary: 'Query the subgraphs of one or more chains',
    description,
  })
}

/** `POST /graphql`, the deprecated name of `POST /data`. */
export function describeGraphql(context: DocumentContext, endpoint: Endpoint): OpenapiOperation {
  const operation = describe(context, {
    endpoint,
    operationId: 'queryDataByOldName',
    summary: 'Query by the deprecated name of /data',
    description: 'Same as `POST /data`. Use `/data` instead.',
  })
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...headerReferences('Deprecation', 'Link') } },
  ])
  // New programs should use /data, so the deprecated name has no SDK sample.
  const samples = operation['x-codeSamples'].filter(({ lang }) => lang === 'Shell')
  return { ...operation, deprecated: true, responses: Object.fromEntries(responses), 'x-codeSamples': samples }
}

type About = Pick<OpenapiOperation, 'operationId' | 'summary' | 'description'> & { readonly endpoint: Endpoint }

function describe(context: DocumentContext, { endpoint, ...about }: About): OpenapiOperation {
  const chain = context.dataChainIds[0] ?? context.chainIds[0] ?? 324
  const description: Description = {
    ...about,
    tag: 'Data',
    requestBody: {
      description: 'A query, its variables, and the chains to query. Any other member is rejected.',
      required: true,
      content: jsonContent('DataRequest', requests(chain)),
    },
    response: 'One element per chain, in the order of `chains`.',
    content: jsonContent('DataResponse', answers(chain)),
    headers: ['x-tallystick-chains'],
    codes: [
      'invalid_chains',
      'query_rejected',
      'invalid_request',
      'payload_too_large',
      'unsupported_media_type',
      'upstream_failed',
      'upstream_timeout',
    ],
    samples: samples(endpoint.path, chain),
  }
  return describeOperation(description, { context, endpoint })
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

function requests(chain: number): Readonly<Record<string, OpenapiExample & { readonly value: DataRequestBody }>> {
  const chains = [chain]
  return {
    positions: {
      summary: 'Positions of a wallet, newest first',
      value: { query: positionQuery, variables: { chains, walletAddress: wallet } },
    },
    earnings: {
      summary: 'Earnings of a wallet',
      value: {
        query: 'query Earnings($wallet: ID!) { account(id: $wallet) { activePrincipal totalIncome totalFees } }',
        variables: { chains, wallet },
      },
    },
    protocol: {
      summary: 'The pool, and the last 7 days of the protocol',
      value: {
        query:
          '{ pools { activePositions activePrincipal paused } ' +
          'protocolDays(first: 7, orderBy: day, orderDirection: desc) { day lent claimed income } }',
        variables: { chains },
      },
    },
  }
}

function answers(chain: number): Readonly<Record<string, OpenapiExample & { readonly value: DataResponse }>> {
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
    message: 'The chain’s subgraph did not answer in time. Try again or select less.',
    code: 'upstream_timeout',
    details: { failure: 'slow_headers' },
  } as const
  return {
    positions: { summary: 'Positions of a wallet', value: [{ chain, data: { positionInfos: [position] } }] },
    partial: {
      summary: 'One of two chains failed',
      value: [
        { chain, data: { pools: [{ activePositions: 27 }] } },
        { chain: 10, data: null, errors: [failure] },
      ],
    },
  }
}
