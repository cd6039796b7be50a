import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export type Posted = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any
}

/** Sends JSON and reads JSON, over TLS with the sandbox's certificate authority where the URL says so. */
export async function postJson(
  url: string,
  {
    caCert,
    headers = {},
    body,
  }: {
    readonly caCert?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body: object
  },
): Promise<Posted> {
  const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  const outgoing = url.startsWith('https:')
    ? requestHttps(url, { ...options, ...(caCert && { ca: readFileSync(caCert) }) })
    : requestHttp(url, options)
  outgoing.end(JSON.stringify(body))
  const [response] = await once(outgoing, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode, headers: new Headers(response.headers), json: JSON.parse(text) }
}
