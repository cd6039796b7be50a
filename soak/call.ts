import type { IncomingHttpHeaders } from 'node:http'
import { type Agent, request } from 'node:https'

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }

export type Call = {
  readonly agent: Agent
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

// Longer than anything the service may take: what is not answered by then hangs.
export const callTimeoutMs = 20_000

/** One HTTPS exchange; rejects if the connection fails or nothing comes. */
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
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${callTimeoutMs} ms`)))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
