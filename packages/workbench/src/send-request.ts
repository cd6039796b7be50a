import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  json(): any
}

export type SendOptions = Omit<RequestOptions, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

/** Sends one request and reads the response. Rejects if the connection fails or is idle for `timeout` milliseconds. */
export function sendRequest(url: string, { body, ...options }: SendOptions = {}): Promise<Answer> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      const { statusCode: status = 0, headers } = incoming
      text(incoming).then((body) => resolve({ status, headers, body, json: () => JSON.parse(body) }), reject)
    })
    // Node's global agent reports idle sockets after 5 s also where no limit was given.
    if (options.timeout !== undefined) {
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${options.timeout} ms`)))
    }
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
