import type { IncomingHttpHeaders } from 'node:http'
import { type Agent, request } from 'node:https'

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }

export type Call = {
  readonly agent: Agent
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

// Longer than any request may take.
const callTimeoutMs = 20_000

/** Sends one HTTPS request. Rejects if the connection fails or times out. */
export function call(url: string, { agent, method = 'GET', headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent, timeout: callTimeoutMs }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const { statusCode: status = 0, headers } = incoming
        resolve({ status, headers, body: Buffer.concat(chunks).toString() })
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${callTimeoutMs} ms`)))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
