import {
  type AddHandler,
  createCors,
  createCutCounter,
  createLameDuck,
  drain,
  endIdleConnections,
  type Handler,
  listen,
  type OpenTls,
  openTls,
  paceRequests,
  paceServer,
  prepareFastPath,
  tlsHeaders,
  varyByOrigin,
} from '@tallystick/http'
import { buildApp } from './app.ts'
import { type Access, createAccess, createAdmit } from './routing/access.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './start-parts.ts'

/** Loads the certificate and builds the public API. Listens after `start`. */
export async function openPublicListener(
  context: ServiceContext,
  { parts, nextRequestId }: { readonly parts: ServiceParts; readonly nextRequestId: () => string },
) {
  const { config, closers, time } = context
  const { host, port, reusePort, lameDuckSeconds } = config.listen
  const tls = openListenerTls(context, nextRequestId)
  const lameDuck = createLameDuck(lameDuckSeconds, time)
  /** Returns false before the listener is open and from the start of a shutdown. */
  const isListening = () => app.server.listening && !lameDuck.hasBegun()
  const access = createAccess(config.listen, { ...parts.keys, cors: createCors(config.listen.cors), time })
  const addFastPath = await createAddFastPath(context, { access, nextRequestId })
  const onCut = createCutCounter(context.metrics, 'pipelined')
  const serverFactory =
    tls && ((handler: Handler) => tls.server.on('request', paceRequests(addFastPath(handler, tls.server), onCut)))
  const app = buildApp(context, { parts, access, nextRequestId, serverFactory })
  if (!tls) {
    paceServer(app.server, onCut, addFastPath)
    endIdleConnections(app)
  }
  /** Starts listening. Resolves to the base URL. */
  const start = async () => {
    const baseUrl = await listen(app, { host, port, reusePort, scheme: tls ? 'https' : 'http' })
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

type FastPathParts = {
  readonly access: Access
  readonly nextRequestId: () => string
}

function createAddFastPath(
  { time, metrics, log, options }: ServiceContext,
  { access, nextRequestId }: FastPathParts,
): Promise<AddHandler> {
  const headers = {
    open: { ...tlsHeaders, 'access-control-allow-origin': '*' },
    keyed: access.cors ? { ...tlsHeaders, ...varyByOrigin } : tlsHeaders,
  }
  return prepareFastPath({
    admit: createAdmit(access),
    headersOf: ({ config: { openTo } }) => (openTo === 'any-origin' ? headers.open : headers.keyed),
    writer: options.prebuiltWriter,
    ...{ time, metrics, log, nextRequestId },
  })
}
