import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { sleep, type Time } from '@tallystick/base'

/** Time between the stop signal and the end of listening. */
export type LameDuck = {
  hasBegun(): boolean
  /**
   * Starts the lame duck time. Each HTTP/1.1 response now closes its connection, so that the client connects to another
   * replica. All connections, new ones too, are still served. Resolves when the time is over.
   */
  begin(server: Server): Promise<void>
}

export function createLameDuck(seconds: number, time: Pick<Time, 'setTimer'>): LameDuck {
  let begun = false
  return {
    hasBegun: () => begun,
    begin: async (server) => {
      begun = true
      server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
        if (httpVersionMajor === 1) response.setHeader('connection', 'close')
      })
      await sleep(time, { name: 'lame duck', ms: seconds * 1_000 })
    },
  }
}
