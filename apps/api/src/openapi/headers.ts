import type { Header, Reference } from './document.ts'

function header(description: string, { unit, example }: { readonly unit: string; readonly example: string }): Header {
  return { description: `${description} [${unit}]`, schema: { type: 'string', 'x-unit': unit, examples: [example] } }
}

/** The headers of answers that mean something to a caller. */
export const headers = {
  'x-request-id': header('Names this request in the log. Quote it when you ask the operator for help.', {
    unit: 'opaque id',
    example: '9f2c41d07ab3-1x',
  }),
  'RateLimit-Policy': header('How many requests (`q`) are allowed in how long (`w`). Left out where nothing is.', {
    unit: 'requests; seconds',
    example: '"default";q=600;w=60',
  }),
  RateLimit: header('How many requests are left (`r`), and when there are new ones (`t`).', {
    unit: 'requests; seconds',
    example: '"default";r=599;t=60',
  }),
  'Retry-After': header('How long to wait before another try.', { unit: 'seconds', example: '5' }),
  ETag: header('Names these very bytes: send it back as `If-None-Match`.', {
    unit: 'entity tag',
    example: '"kHqFZ2nWcWg0vSL4nRzLhA"',
  }),
  'Cache-Control': header('How long this answer stays good: for notes, to the end of their period.', {
    unit: 'seconds',
    example: 'private, max-age=7200',
  }),
  'x-tallystick-chains': header(
    'For each chain that answered, the block answered from and how far that is behind the clock.',
    { unit: 'chain id; block number; seconds', example: '324;block=5184123;lag=4' },
  ),
  Deprecation: header('Since when this path is an old name (RFC 9745).', {
    unit: 'Unix seconds after `@`',
    example: '@1763164800',
  }),
  Link: header('The path to use instead.', { unit: 'link', example: '</data>; rel="successor-version"' }),
  Allow: header('The methods this path takes, with a 405.', { unit: 'methods', example: 'GET, HEAD' }),
} as const

/** References to headers, by their names. */
export function headerReferences(...names: readonly (keyof typeof headers)[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
