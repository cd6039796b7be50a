import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Running = { readonly description: string; stop(): Promise<void> }

/** Serves the description of something that the first request starts. `stop` ends it, if it was started. */
export async function serveOnDemand(start: () => Promise<Running>): Promise<{ readonly url: string } & Stoppable> {
  let starting: Promise<Running> | undefined
  const server = createServer((_, response) => {
    starting ??= start()
    starting.then(
      ({ description }) => response.end(description),
      ({ message }: Error) => response.writeHead(500).end(message),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = async () => {
    server.close()
    const running = await starting?.catch(() => undefined)
    await running?.stop()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

type Stoppable = { stop(): Promise<void> }
