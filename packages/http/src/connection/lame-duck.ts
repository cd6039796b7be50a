import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { sleep, type Time } from '@tallystick/base'

/** Creates the time between the stop signal and the end of listening. */
export function createLameDuck(seconds: number, time: Pick<Time, 'setTimer'>) {
  let begun = false
  return {
    hasBegun: () => begun,
    /**
     * Starts the lame duck time. Each HTTP/1.1 response now closes its connection, so that the client connects to another
     * replica. All connections, new ones too, are still served. Resolves when the time is over.
     */
    begin: async (server: Server): Promise<void> => {
      begun = true
      server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
        if (httpVersionMajor === 1) response.setHeader('connection', 'close')
      })
      await sleep(time, { name: 'lame duck', ms: seconds * 1_000 })
    },
  }
}
