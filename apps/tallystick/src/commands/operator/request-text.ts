import { request } from 'node:http'

type RequestTextOptions = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly timeoutMs: number
}

/** Sends an HTTP request without following redirects. Unlike `fetch`, the modules for this are loaded with Node. */
export function requestText(
  url: string,
  { method, headers, body, timeoutMs }: RequestTextOptions,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    // Without `agent: false` an idle connection would keep the process running.
    const outgoing = request(url, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        clearTimeout(timer)
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    const timer = setTimeout(
      () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    )
    outgoing.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    outgoing.end(body)
  })
}
