import { etagOf } from '@tallystick/base'
import type { ChainsResponse } from '@tallystick/core'
import { assertParameters, jsonType, rememberAnswer, sendResponse } from '@tallystick/http'
import type { RouteHandlerMethod } from 'fastify'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, typescript } from '../openapi/samples.ts'
import type { Route } from '../routing/route.ts'
import type { ChainsParts } from './create-chains-parts.ts'

// A new signer or limit is seen soon.
const cacheControl = 'public, max-age=30'

/** Creates `GET /chains` (DESIGN.md §2.5): everything a program needs to lend on the chains of this service. */
export function createChainsRoute(parts: ChainsParts): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    assertParameters(request.query as Record<string, unknown>, [])
    const { chains, isLatest } = await parts.list()
    const message = `${chains.length} ${chains.length === 1 ? 'chain' : 'chains'}.`
    const body = JSON.stringify({ message, chains: [...chains] } satisfies ChainsResponse)
    const response = { body, mediaType: jsonType, etag: etagOf(body), headers: { 'cache-control': cacheControl } }
    rememberAnswer(request, { recall: () => (isLatest() ? response : undefined), respond: () => response })
    return sendResponse(reply, response)
  }
  return { method: 'GET', url: '/chains', openTo: 'any-origin', describe: describeChains, handler }
}

const description = `Returns the chains of the service with everything a program needs to lend on them: the pool and its tokens, the EIP-712 domains to sign permits and to verify notes, the signer, the tenors and the pool’s limits. It needs no key. Requests are limited per address.

Addresses, domains and limits are read from the chain, or from its index if no RPC is configured. A value that is not known yet is \`null\`.`

const describeChains = describeGet(({ endpoint, chainId }) => ({
  operationId: 'getChains',
  tag: 'Chains',
  summary: 'Chains and contracts',
  description,
  response: 'The chains, ascending by chain id.',
  content: jsonContent('ChainsResponse', { chains: { summary: 'One chain', value: exampleChains(chainId) } }),
  notModified: 'The chains match `If-None-Match`. There is no body.',
  codes: ['invalid_parameter'],
  samples: [
    curl(`curl "$TALLYSTICK_URL${endpoint.path}"`),
    typescript(
      'for (const { chainId, pool, dollar } of await client.chains()) console.log(chainId, pool, dollar?.symbol)',
    ),
  ],
}))

function exampleChains(chainId: number): ChainsResponse {
  const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
  const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
  const domainOf = (name: string, verifyingContract: string) => ({ name, version: '1', chainId, verifyingContract })
  const positionToken = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
  const dollar = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
  return {
    message: '1 chain.',
    chains: [
      {
        chainid: String(chainId),
        name: 'zkSync Era',
        pool,
        domain: domainOf('NoteSignatureVerifier', pool),
        signer,
        registeredSigner: signer,
        positionToken: {
          address: positionToken,
          name: 'Tallystick Position',
          symbol: 'tsPOS',
          domain: domainOf('Tallystick Position', positionToken),
        },
        dollar: {
          address: dollar,
          name: 'Tallystick Dollar',
          symbol: 'tsUSD',
          decimals: 18,
          domain: domainOf('Tallystick Dollar', dollar),
        },
        denylister: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
        tenors: [7, 14, 30, 60, 90, 180, 360],
        limits: { minLend: '1000000000000000000000', maxCoupon: '1000', minMaturitySeconds: '172800' },
        explorerUrl: 'https://explorer.example.com',
        subgraphUrl: `/subgraphs/${chainId}`,
        hasData: true,
      },
    ],
  }
}
