import type { Secret } from '@tallystick/base'
import { redact } from '@tallystick/base/pure'

/** Shortens an upstream's message to one line and removes all parts of the URL and the headers. */
export type Redact = (text: string) => string

const lengthMax = 300
// Path segments that are not secret, unlike keys and ids.
const publicSegments = new Set(['subgraphs', 'subgraph', 'deployments', 'graphql', 'query', 'name', 'gateway'])

export function createRedact(url: URL, headers: Readonly<Record<string, Secret>>): Redact {
  const { pathname, search, searchParams, host } = url
  const segments = pathname.split('/').filter((segment) => !publicSegments.has(segment))
  const ofUrl = [url.href, url.origin, host, pathname, search.slice(1), ...segments, ...searchParams.values()]
  return (text) => {
    // Revealed on each call, so that no copy of the secrets is kept.
    const ofHeaders = Object.values(headers).flatMap((secret) => [secret.reveal(), ...secret.reveal().split(' ')])
    // Truncated first, because replacing in megabytes is slow.
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
