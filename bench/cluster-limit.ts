import { Agent, request as httpsRequest } from 'node:https'
import type { Result } from './result.ts'
import { createBenchKey, type Server, type Site } from './service.ts'

const rpm = 600
// A replica alone gets more than its share, and all together several times the limit.
const everyMs = 20
const windowMs = 60_000

/**
 * Measures how many requests of a key with a limit of 600 per minute all replicas accept within a minute, while each of
 * them gets a request every 20 ms.
 */
export async function measureClusterLimit(site: Site, replicas: readonly Server[]): Promise<Result> {
  const secret = createBenchKey(site, rpm)
  const agent = new Agent({ ca: site.ca, keepAlive: true, maxSockets: 4 * replicas.length })
  const counts = { accepted: 0, rejected: 0 }
  const send = (port: number) =>
    new Promise<void>((resolve, reject) => {
      const options = { agent, port, path: '/notes', headers: { 'x-api-key': secret } }
      httpsRequest('https://localhost', options, (response) => {
        response.resume()
        if (response.statusCode === 200) counts.accepted++
        else if (response.statusCode === 429) counts.rejected++
        else reject(new Error(`A replica responded with ${response.statusCode}.`))
        response.once('end', resolve)
      })
        .on('error', reject)
        .end()
    })
  await Promise.all(replicas.map(({ port }) => sendUntil(performance.now() + windowMs, () => send(port))))
  agent.destroy()
  process.stderr.write(`limit of ${rpm} per minute: ${counts.accepted} accepted, ${counts.rejected} rejected\n`)
  return {
    name: `cluster.limit.${replicas.length}`,
    value: counts.accepted,
    unit: 'requests in a minute',
    baseline: rpm,
    ratio: counts.accepted / rpm,
    target: { atMost: 1.05 },
  }
}

async function sendUntil(endMs: number, send: () => Promise<void>): Promise<void> {
  while (performance.now() < endMs) {
    const sentAt = performance.now()
    await send()
    const restMs = everyMs - (performance.now() - sentAt)
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}
