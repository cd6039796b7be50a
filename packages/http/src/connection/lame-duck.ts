import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time between the stop signal and the end of listening. */
export type LameDuck = {
  hasBegun(): boolean
  /**
   * Starts the lame duck time. Each HTTP/1.1 response now closes its connection, so that the client connects to another
   * replica. All connections, new ones too, are still served. Resolves when the time is over.
   */
  begin(server: Server): Promise<void>
}

export function createLameDuck(seconds: number, wait: (ms: number) => Promise<void> = sleep): LameDuck {
  let begun = false
  return {
    hasBegun: () => begun,
    begin: async (server) => {
      begun = true
      server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
        if (httpVersionMajor === 1) response.setHeader('connection', 'close')
      })
      await wait(seconds * 1_000)
    },
  }
}
