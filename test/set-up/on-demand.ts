import { startLocalServer } from '../../packages/workbench/src/start-local-server.ts'

export type Running = { readonly description: string; stop(): Promise<void> }

/** Serves the description of something that the first request starts. `stop` ends it, if it was started. */
export async function serveOnDemand(start: () => Promise<Running>): Promise<{ readonly url: string } & Stoppable> {
  let starting: Promise<Running> | undefined
  const server = await startLocalServer((_, response) => {
    starting ??= start()
    starting.then(
      ({ description }) => response.end(description),
      ({ message }: Error) => response.writeHead(500).end(message),
    )
  })
  const stop = async () => {
    await server.stop()
    const running = await starting?.catch(() => undefined)
    await running?.stop()
  }
  return { url: server.url, stop }
}

type Stoppable = { stop(): Promise<void> }
