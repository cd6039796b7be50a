import type { Answer } from '@tallystick/workbench/send-request'
import { createKey, type TestService } from './harness.ts'

export type PostData = (body: unknown, options?: PostOptions) => Promise<Answer>

type PostOptions = {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends bodies to `/data` with a new key: strings as they are, other values as JSON. */
export async function createPostData(service: TestService): Promise<PostData> {
  const { secret } = await createKey(service, { scopes: ['data'] })
  return (body, { path = '/data', headers } = {}) =>
    service.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
}
