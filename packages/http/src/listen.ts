import { type AddressInfo, isIPv6 } from 'node:net'
import { TallystickError } from '@tallystick/core'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import type { TlsServer } from './tls/tls-server.ts'

type ListenOptions = {
  readonly host: string
  readonly port: number
  readonly scheme: string
  /** Whether other processes may listen on the same port. */
  readonly reusePort?: boolean
}

/** Starts listening. Resolves to the base URL. */
export async function listen(
  app: FastifyInstance,
  { host, port, scheme, reusePort = false }: ListenOptions,
): Promise<string> {
  // For "localhost" Fastify would create a second server for the other address family.
  const bound = host === 'localhost' ? '127.0.0.1' : host
  // Fastify passes on the options of Node, but its types lack this one.
  const options: FastifyListenOptions & { readonly reusePort: boolean } = {
    host: bound,
    port,
    reusePort,
  }
  await app.listen(options).catch((error) => {
    throw adaptListenError(error, { host, port })
  })
  const address = app.server.address() as AddressInfo
  const everywhere = ['0.0.0.0', '::'].includes(host)
  return `${scheme}://${everywhere ? 'localhost' : isIPv6(host) ? `[${host}]` : host}:${address.port}`
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

function adaptListenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  if (!error.code) return error
  return new TallystickError({
    code: 'invalid_config',
    message: `Cannot listen on ${host} port ${port} (${error.code}). Check whether another process uses it, or choose another port.`,
    retryable: false,
    cause: error,
  })
}

// A request takes milliseconds. One that takes this long hangs.
const drainMs = 10_000

/** Stops listening and finishes pending requests. Connections that hang are destroyed after 10 s. */
export async function drain(app: FastifyInstance, tls: TlsServer | undefined): Promise<void> {
  const timer = setTimeout(() => {
    tls?.destroyConnections()
    app.server.closeAllConnections?.()
  }, drainMs)
  // One turn of the event loop accepts nearly all connections that are waiting.
  await new Promise(setImmediate)
  const closed = new Promise((resolve) => app.server.close(resolve))
  await app.close()
  await closed
  clearTimeout(timer)
}
