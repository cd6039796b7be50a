import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** The time between the signal to stop and the end of listening. */
export type LameDuck = {
  hasBegun(): boolean
  /**
   * Begins it: every answer over HTTP/1.1 now ends its connection, so that the client sends its next request elsewhere.
   * Connections, new ones too, are served. Resolves when the time is over.
   */
  begin(server: Server): Promise<void>
}

export function createLameDuck(seconds: number): LameDuck {
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
