import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { Result } from '../result.ts'
import { createBenchKey, type Server, type Site } from '../service.ts'

const rpm = 600
// A replica alone gets more than its share, and all together several times the limit.
const everyMs = 20

/**
 * Measures how many requests of a key with a limit of 600 per minute all replicas accept in one window, while each of
 * them gets a request every 20 ms. Throws if they accept less than 95 % of the limit.
 */
export async function measureClusterLimit(site: Site, replicas: readonly Server[]): Promise<Result> {
  const secret = createBenchKey(site, rpm)
  const agent = new Agent({ ca: site.ca, keepAlive: true, maxSockets: 4 * replicas.length })
  const send = async (port: number): Promise<Answer> => {
    const options = { agent, port, path: '/notes', headers: { 'x-api-key': secret } }
    const sent = httpsRequest('https://localhost', options).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    const { statusCode } = response
    if (statusCode !== 200 && statusCode !== 429) throw new Error(`A replica responded with ${statusCode}.`)
    const restSeconds = Number(/t=(\d+)/.exec(String(response.headers['ratelimit']))?.[1])
    return { accepted: statusCode === 200, restSeconds }
  }
  const windows = await Promise.all(replicas.map(({ port }) => sendForWindow(() => send(port))))
  agent.destroy()
  const accepted = windows.reduce((sum, window) => sum + window.accepted, 0)
  const sent = windows.reduce((sum, window) => sum + window.sent, 0)
  process.stderr.write(`limit of ${rpm} per minute: ${accepted} of ${sent} accepted\n`)
  if (accepted < 0.95 * rpm) throw new Error('The replicas accepted less than the limit.')
  return {
    name: `cluster.limit.${replicas.length}`,
    value: accepted,
    unit: 'requests in a minute',
    baseline: rpm,
    ratio: accepted / rpm,
    target: { atMost: 1.05 },
  }
}

type Answer = {
  readonly accepted: boolean
  /** Rest of the window. Of a rejected request it is the time to the next try. */
  readonly restSeconds: number
}

/** Sends requests until the second window after this one begins, and counts those of the window between. */
async function sendForWindow(
  send: () => Promise<Answer>,
): Promise<{ readonly accepted: number; readonly sent: number }> {
  const counts = { accepted: 0, sent: 0 }
  let window = -1
  let endsAtMs = Number.NEGATIVE_INFINITY
  while (true) {
    const sentAtMs = performance.now()
    const { accepted, restSeconds } = await send()
    // At the start of a window each replica accepts its share. The rest is in whole seconds, so the end varies by one.
    if (accepted && sentAtMs > endsAtMs - 2_000 && restSeconds > 30) {
      window++
      endsAtMs = sentAtMs + restSeconds * 1000
    }
    if (window > 1) return counts
    if (window === 1) {
      counts.sent++
      if (accepted) counts.accepted++
    }
    const restMs = everyMs - (performance.now() - sentAtMs)
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}
