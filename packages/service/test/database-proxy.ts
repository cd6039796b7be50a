import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Defer } from './harness.ts'

export type DatabaseProxy = {
  readonly url: string
  /** Closes all connections and refuses new ones. */
  setAway(isAway: boolean): void
  /** Accepts connections, and forwards nothing, as a stopped server does. */
  setStalled(isStalled: boolean): void
}

/** PostgreSQL behind a connection that the test can cut or stall. */
export async function startDatabaseProxy(
  databaseUrl: string,
  defer: Defer = onTestFinished as Defer,
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  const state = { isAway: false, isStalled: false }
  const forward = ([socket, upstream]: readonly [Socket, Socket]) => {
    if (!state.isStalled) return void socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.unpipe().pause()
  }
  const server = createServer((socket) => {
    if (state.isAway) return socket.destroy()
    const pair = [socket, connect(Number(target.port || 5432), target.hostname)] as const
    for (const end of pair) end.on('error', () => undefined)
    pairs.add(pair)
    forward(pair)
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const end of [...pairs].flat()) end.destroy()
    pairs.clear()
  }
  defer(() => {
    cut()
    server.close()
  })
  const own = new URL(databaseUrl)
  own.hostname = '127.0.0.1'
  own.port = String((server.address() as { port: number }).port)
  return {
    url: own.toString(),
    setAway: (isAway) => {
      state.isAway = isAway
      if (isAway) cut()
    },
    setStalled: (isStalled) => {
      // A second pipe would send every byte twice.
      if (state.isStalled === isStalled) return
      state.isStalled = isStalled
      for (const pair of pairs) forward(pair)
    },
  }
}
