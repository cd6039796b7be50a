import type { OpenapiHeader, OpenapiReference } from '@tallystick/core'

function header(
  description: string,
  { unit, example }: { readonly unit: string; readonly example: string },
): OpenapiHeader {
  return { description: `${description} [${unit}]`, schema: { type: 'string', 'x-unit': unit, examples: [example] } }
}

/** Response headers that are part of the API. */
export const headers = {
  'x-request-id': header('Identifies this request in the log. Include it when you contact the operator.', {
    unit: 'opaque id',
    example: '9f2c41d07ab3-1x',
  }),
  'RateLimit-Policy': header('Number of requests (`q`) allowed per window (`w`). Absent if there is no limit.', {
    unit: 'requests; seconds',
    example: '"default";q=600;w=60',
  }),
  RateLimit: header(
    'Remaining requests (`r`) and the time until the window resets (`t`). Absent if there is no limit.',
    {
      unit: 'requests; seconds',
      example: '"default";r=599;t=60',
    },
  ),
  'Retry-After': header('Time to wait before a retry.', { unit: 'seconds', example: '5' }),
  ETag: header('Identifies this version of the body. Send it as `If-None-Match`.', {
    unit: 'entity tag',
    example: '"kHqFZ2nWcWg0vSL4nRzLhA"',
  }),
  'Cache-Control': header('How long the response may be cached. Notes are valid until the end of their period.', {
    unit: 'seconds',
    example: 'private, max-age=7200',
  }),
  'x-tallystick-chains': header(
    'For each chain that answered, the block of the answer, its lag behind the clock and its source: the `embedded` subgraph or a `remote` one. `errors=1` if the index is known to be incomplete. More parameters may follow.',
    { unit: 'chain id; block number; seconds; source', example: '324;block=5184123;lag=4;source=embedded' },
  ),
  'x-tallystick-log': header(
    'Place of the notes in the public log: its origin, the index of the entry and the size of a checkpoint that covers it. One item per chain, ascending. Absent without a log.',
    { unit: 'origin; entries; entries', example: 'notes.example/log;index=1204;size=1206' },
  ),
  Deprecation: header('Time from which this path is deprecated (RFC 9745).', {
    unit: 'Unix seconds after `@`',
    example: '@1763164800',
  }),
  Link: header('The path to use instead (`successor-version`), or the next page (`next`, absent on the last one).', {
    unit: 'link',
    example: '</data>; rel="successor-version"',
  }),
  'Content-Disposition': header('Name of the file. Absent in JSON.', {
    unit: 'file name',
    example: 'attachment; filename="tallystick-notes.csv"',
  }),
  Allow: header('Methods that this path supports. Sent with a 405.', { unit: 'methods', example: 'GET, HEAD' }),
} as const

export type HeaderName = keyof typeof headers

/** Returns references to headers by name. */
export function headerReferences(...names: readonly HeaderName[]): Readonly<Record<string, OpenapiReference>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
