import {
  createCutCounter,
  createRequestIds,
  drain,
  endIdleConnections,
  isLoopback,
  limitConnections,
  listen,
  paceServer,
} from '@tallystick/http'
import { openPublicListener } from './open-public-listener.ts'
import type { ServiceContext } from './service-context.ts'
import { startAdminApp } from './start-admin-app.ts'
import type { ServiceParts } from './start-parts.ts'

type ListenerUrls = { readonly baseUrl: string; readonly adminUrl: string }

/** Opens the admin listener, then the public one. */
export async function startListeners(context: ServiceContext, parts: ServiceParts): Promise<ListenerUrls> {
  const { config, metrics, say, closers } = context
  const nextRequestId = createRequestIds()
  const { app, isListening, start } = await openPublicListener(context, { parts, nextRequestId })
  const admin = startAdminApp(context, { parts, nextRequestId, isListening })
  paceServer(admin.server, createCutCounter(metrics, 'pipelined'))
  const { connectionsMax, connectionsPerAddressMax, proxy } = config.listen
  endIdleConnections(admin)
  limitConnections(
    { publicServer: app.server, adminServer: admin.server },
    { connectionsMax, connectionsPerAddressMax, exempt: proxy?.trust ?? [], metrics, say },
  )
  const adminUrl = await listen(admin, { host: config.admin.host, port: config.admin.port, scheme: 'http' })
  closers.push('admin listener', () => drain(admin, undefined))
  say(`admin listener on ${adminUrl}`)
  say(`operator’s console on ${adminUrl}/console`)
  if (!isLoopback(config.admin.host)) {
    say('WARNING: the admin listener uses plain HTTP and is not on loopback; its token is sent unencrypted')
  }
  const baseUrl = await start()
  // First of all: the clients of streams connect to another replica.
  closers.push('streams', () => parts.streams.end())
  return { baseUrl, adminUrl }
}
