import { readFileSync } from 'node:fs'
import { sendRequest } from '@tallystick/workbench/send-request'

type Post = {
  readonly caCert?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

/** Sends JSON and reads JSON, over TLS with the sandbox's certificate authority where the URL says so. */
export async function postJson(url: string, { caCert, headers, body }: Post) {
  const {
    status,
    headers: received,
    json,
  } = await sendRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(caCert && { ca: readFileSync(caCert) }),
  })
  return { status, headers: received, json: json() }
}
