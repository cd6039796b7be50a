import { redact } from '@tallystick/core/text/redact'
import type { Secret } from '../../config-secrets.ts'

/** Makes an upstream's own words fit to be shown: short, on one line, nothing of our URL or headers in them. */
export type Redact = (text: string) => string

const lengthMax = 300
// What paths of subgraphs are made of, beside the keys and ids that nobody should see.
const publicSegments = new Set(['subgraphs', 'subgraph', 'deployments', 'graphql', 'query', 'name', 'gateway'])

export function createRedact({
  url,
  headers,
}: {
  readonly url: URL
  readonly headers: Readonly<Record<string, Secret>>
}): Redact {
  const { pathname, search, searchParams, host } = url
  const segments = pathname.split('/').filter((segment) => !publicSegments.has(segment))
  const ofUrl = [url.href, url.origin, host, pathname, search.slice(1), ...segments, ...searchParams.values()]
  return (text) => {
    // Read afresh each time, so that the secrets are kept nowhere else.
    const ofHeaders = Object.values(headers).flatMap((secret) => [secret.reveal(), ...secret.reveal().split(' ')])
    // Cut before as well: replacing in megabytes takes a while.
    const visible = redact(text.slice(0, 4_096), [...ofUrl, ...ofUrl.map(decode), ...ofHeaders])
    const line = visible.replace(/[\p{C}\s]+/gu, ' ').trim()
    return line.length > lengthMax ? `${line.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…` : line
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
