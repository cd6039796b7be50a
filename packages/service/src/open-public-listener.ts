import {
  createCors,
  createCutCounter,
  createLameDuck,
  drain,
  endIdleConnections,
  listen,
  type OpenTls,
  openTls,
  paceRequests,
  paceServer,
} from '@tallystick/http'
import type { FastifyServerFactory } from 'fastify'
import { type AppShared, buildApp } from './app.ts'
import { createKnownRequests } from './data/fast-path.ts'
import { prepareFastPath } from './fast-path.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './start-parts.ts'

/** Loads the certificate and builds the public API. Listens after `start`. */
export async function openPublicListener(
  context: ServiceContext,
  { parts, nextRequestId }: { readonly parts: ServiceParts; readonly nextRequestId: () => string },
) {
  const { config, closers } = context
  const { host, port, lameDuckSeconds } = config.listen
  const tls = openListenerTls(context, nextRequestId)
  const lameDuck = createLameDuck(lameDuckSeconds, context.time)
  /** Returns false before the listener is open and from the start of a shutdown. */
  const isListening = () => app.server.listening && !lameDuck.hasBegun()
  const cors = createCors(config.listen.cors)
  const shared = { nextRequestId, cors, knownRequests: createKnownRequests() }
  const serverFactory = await createFastServer(context, { parts, shared, tls })
  const app = buildApp(context, { parts, shared, serverFactory })
  // With TLS the fast path is paced.
  if (!tls) {
    paceServer(app.server, createCutCounter(context.metrics, 'pipelined'))
    endIdleConnections(app)
  }
  /** Starts listening. Resolves to the base URL. */
  const start = async () => {
    const baseUrl = await listen(app, { host, port, scheme: tls ? 'https' : 'http' })
    closers.push('public listener', () => drain(app, tls))
    closers.push('lame duck', () => lameDuck.begin(app.server))
    return baseUrl
  }
  return { app, isListening, start }
}

/** Opens the TLS server. Returns undefined behind a proxy, which terminates TLS itself. */
function openListenerTls(context: ServiceContext, nextRequestId: () => string): OpenTls | undefined {
  const { metrics, time, log, say, closers } = context
  const files = context.config.listen.tls
  if (!files) return undefined
  const tls = openTls(files, { metrics, time, log, say, nextRequestId })
  closers.push('certificates', tls.stopWatching)
  return tls
}

type FastServerOptions = {
  readonly parts: ServiceParts
  readonly shared: AppShared
  readonly tls: OpenTls | undefined
}

/** Creates the server whose requests the fast path sees before the framework. Returns undefined without TLS. */
async function createFastServer(
  { config, time, metrics, log, options }: ServiceContext,
  { parts, shared, tls }: FastServerOptions,
): Promise<FastifyServerFactory | undefined> {
  if (!tls) return undefined
  const { nextRequestId, cors, knownRequests } = shared
  const chainIds = config.chains.map(({ id }) => id)
  const addFastPath = await prepareFastPath({
    notes: { published: parts.notes.published, clocks: parts.clocks, chainIds },
    data: { gateway: parts.gateway.data.gateway, knownRequests },
    keyRing: parts.keys.keyRing,
    server: tls.server,
    writer: options.prebuiltWriter,
    time,
    metrics,
    log,
    nextRequestId,
    cors,
  })
  const onCut = createCutCounter(metrics, 'pipelined')
  return (handler) => tls.server.on('request', paceRequests(addFastPath(handler), onCut))
}
