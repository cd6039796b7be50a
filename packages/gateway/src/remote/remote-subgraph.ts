import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Secret } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { type ChainSubgraph, type SubgraphQuery, upstreamError } from '../chain-subgraph.ts'
import { finishHeadQuery } from './begin-call.ts'
import type { WireQuery } from './create-sender.ts'
import { createKnownRemoteHead } from './known-remote-head.ts'
import { queryUpstreams } from './query-upstreams.ts'
import type { UpstreamStatus } from './remote-metrics.ts'
import { createUpstream, headQuery, type RemoteUpstream, type UpstreamOptions } from './upstream.ts'

export type RemoteSubgraph = ChainSubgraph & {
  /** Whether at least one URL is in use. */
  readonly isUsable: boolean
  /** Returns the status of each URL, in the order of the configuration. */
  status(): readonly UpstreamStatus[]
}

type RemoteSubgraphOptions = Omit<UpstreamOptions, 'url' | 'label' | 'onHead'> & { readonly urls: readonly string[] }

/** Creates a client of a chain's remote subgraph: The Graph's network, a graph-node, or the embedded subgraph of another Tallystick. */
export function createRemoteSubgraph(options: RemoteSubgraphOptions): RemoteSubgraph {
  const { chainId, urls, headers, settings, time, log, metrics, ca } = options
  assertHeaders(options)
  const labels = labelsOf(urls)
  const upstreams = urls.map((url, index) =>
    createUpstream({
      chainId,
      url,
      label: labels[index] as string,
      headers,
      ca,
      settings,
      time,
      log,
      metrics,
      onHead: (head, sentAtMs) => known.learn(head, sentAtMs),
    }),
  )
  const known = createKnownRemoteHead({
    pollMs: settings.pollMs,
    poll: async () => {
      const [upstream] = usable(upstreams)
      if (upstream) await finishHeadQuery(upstream.begin(headQuery, 1), { time, timeoutMs: settings.timeoutMs })
    },
    time,
  })
  return {
    chainId,
    currentHead: known.read,
    knownHead: known.read,
    get isUsable() {
      return upstreams.some((upstream) => upstream.isUsable)
    },
    ask: async (query, signal) => {
      known.touch()
      const candidates = usable(upstreams)
      if (candidates.length === 0) throw circuitOpen(upstreams)
      const { timeoutMs, hedgeMs } = settings
      return queryUpstreams(candidates, { query: toWire(query), signal, timeoutMs, hedgeMs, time })
    },
    status: () => upstreams.map((upstream) => upstream.status()),
    close: async () => {
      known.close()
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    },
  }
}

/** Throws `invalid_config` for a header that the first query would fail on. */
function assertHeaders({ chainId, headers }: Pick<RemoteSubgraphOptions, 'chainId' | 'headers'>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (isHeader(name, value)) continue
    throw new TallystickError({
      code: 'invalid_config',
      message: `The header ${JSON.stringify(name)} of the subgraph of chain ${chainId} cannot be sent: its name is reserved or invalid, or its value has characters that are not allowed, such as a line break.`,
      retryable: false,
    })
  }
}

// Headers that HTTP uses for framing and connections.
const ownHeaderNames = /^(connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i

function isHeader(name: string, value: Secret): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value.reveal())
    return !ownHeaderNames.test(name)
  } catch {
    return false
  }
}

/** Returns host and port of each URL, with a number added to repeated ones. */
function labelsOf(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, index) => {
    const before = hosts.slice(0, index).filter((other) => other === host).length
    return before === 0 ? host : `${host}#${before + 1}`
  })
}

/** Returns the usable upstreams in order of preference: as configured, then those that lag, freshest first. */
function usable(upstreams: readonly RemoteUpstream[]): readonly RemoteUpstream[] {
  return upstreams
    .filter(({ isUsable }) => isUsable)
    .sort((a, b) => {
      if (!a.isBehind || !b.isBehind) return Number(a.isBehind) - Number(b.isBehind)
      return (b.status().head?.number ?? 0) - (a.status().head?.number ?? 0)
    })
}

function toWire({ textWithHead, headAlias, variables, operationName }: SubgraphQuery): WireQuery {
  const body = Buffer.from(JSON.stringify({ query: textWithHead, variables, operationName }))
  return { body, headAlias, isUrgent: false, operationName }
}

function circuitOpen(upstreams: readonly RemoteUpstream[]): TallystickError {
  const statuses = upstreams.map((upstream) => upstream.status())
  const seconds = Math.max(1, Math.ceil(Math.min(...statuses.map(({ openForMs }) => openForMs)) / 1000))
  const failures = [...new Set(statuses.flatMap(({ lastFailure }) => lastFailure ?? []))].join(', ')
  return upstreamError({
    failure: 'circuit_open',
    message: `The chain’s subgraph failed repeatedly (${failures}) and is temporarily disabled. Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  })
}
