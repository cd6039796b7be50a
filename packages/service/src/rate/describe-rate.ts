import type { RateResponse } from '@tallystick/core'
import { errorResponses } from '../openapi/error-responses.ts'
import { headerReferences } from '../openapi/headers.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters, schemaReference } from '../openapi/schemas.ts'
import type { DocumentContext, Endpoint, Operation } from '../routing/document.ts'

const description = `Returns fixed rates, floating rates, their sum (total marginal market rate, MMR) and the sync status of the protocol, of the chain with the highest market rate and of each chain. \`status\` of a chain says whether its pool accepts loans.

A value that cannot be read is \`null\` and the status is still 200.`

/** `GET /rate` (SPEC.md §4.3). */
export function describeRate(context: DocumentContext, endpoint: Endpoint): Operation {
  const [chainId = 324] = context.chainIds
  return {
    operationId: 'getRate',
    tags: ['Rate'],
    summary: 'Current rates',
    description,
    security: [{ apiKey: [] }],
    parameters: queryParameters('rate', context),
    responses: {
      200: {
        description: 'The rates and their components.',
        headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'Cache-Control'),
        content: {
          'application/json': {
            schema: schemaReference('RateResponse'),
            examples: { rates: { summary: 'One chain, synced', value: exampleRates(chainId) } },
          },
        },
      },
      ...errorResponses(context, {
        endpoint: { ...endpoint, parameters: 'chainid' },
        codes: ['invalid_chainid', 'invalid_parameter'],
      }),
    },
    'x-codeSamples': [
      curl('curl "$TALLYSTICK_URL/rate"', keyHeader),
      typescript(
        'const { fixedRate, floatingRate, marketRate, isProtocolSynced } = await client.rate()',
        'console.log(fixedRate, floatingRate, marketRate, isProtocolSynced)',
      ),
    ],
  }
}

function exampleRates(chainId: number): RateResponse {
  return {
    message: 'Rates of 2026-11-14, 18:00 to 24:00 New York.',
    chainid: String(chainId),
    fixedRate: '369',
    floatingRate: '1264',
    marketRate: '1633',
    isProtocolSynced: true,
    chains: [
      {
        chainid: String(chainId),
        status: 'open',
        statusReason: 'The pool is not paused.',
        fixedRates: [
          { maturity: 7, maturity_timestamp: '1795237200', coupon: '369' },
          { maturity: 14, maturity_timestamp: '1795842000', coupon: '365' },
        ],
        floatingRate: '1264',
        floatingDay: 20770,
        marketRates: [
          { maturity: 7, rate: '1633' },
          { maturity: 14, rate: '1629' },
        ],
        isProtocolSynced: true,
        syncReason: 'The floating income of 2026-11-13 (UTC) has been set.',
        nextSyncExpectedAt: '1794700800',
        dataBlock: '5184123',
        dataLagSeconds: 4,
      },
    ],
  }
}
