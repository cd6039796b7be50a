import { once } from 'node:events'
import { connect } from 'node:tls'
import { secureContext, type TestService } from './harness.ts'

/**
 * Sends the parts of a text over one TLS connection and returns all bytes the service sends until it closes. Between two
 * parts another request is answered, so that the service has read each part before the next one is sent.
 */
export async function sendRaw(service: TestService, parts: readonly string[]): Promise<string> {
  const { port } = new URL(service.baseUrl)
  const socket = connect({ port: Number(port), host: '127.0.0.1', secureContext })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = once(socket, 'close')
  await once(socket, 'secureConnect')
  for (const [index, part] of parts.entries()) {
    if (index > 0) await service.call('/openapi.json', { method: 'HEAD' })
    socket.write(part, 'latin1')
  }
  await closed
  return Buffer.concat(chunks).toString('latin1')
}

export type RawAnswer = { readonly head: readonly string[]; readonly body: string }

/** Splits the bytes of a connection into answers, without the values that differ between any two requests. */
export function readAnswers(text: string): readonly RawAnswer[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => {
      const [head = '', ...body] = answer.split('\r\n\r\n')
      const lines = head.toLowerCase().replace(/(?<=x-request-id: )\S+/, 'id')
      // The seconds left of an allowance run down between two services, from two digits to one.
      const bodyText = body.join('\r\n\r\n').replace(/(?<="requestId":")[^"]+/, 'id')
      const untimedBody = bodyText.replace(/in \d+ seconds?/, 'in seconds')
      const untimed = lines.replace(/(?<=;t=)\d+/, '').replace(/(?<=retry-after: )\d+/, '')
      const comparable = untimedBody === bodyText ? untimed : untimed.replace(/(?<=content-length: )\d+/, '')
      return { head: comparable.split('\r\n').sort(), body: untimedBody }
    })
}

export type RawPost = {
  readonly line?: string
  /** Undefined sends none. */
  readonly key: string | undefined
  readonly headers?: readonly string[]
  /** The bytes of the body if it is left out. Undefined sends none. */
  readonly length?: number | undefined
  readonly body: string
}

/** Writes a `POST /data` as it goes over the wire. */
export function writePost({ line = 'POST /data HTTP/1.1', key, headers = [], body, ...others }: RawPost): string {
  const { length } = { length: body.length, ...others }
  const lines = [
    ...[line, 'host: localhost'],
    ...(headers.some((header) => /^content-type/i.test(header)) ? [] : ['content-type: application/json']),
    ...(key === undefined ? [] : [`x-api-key: ${key}`]),
    ...(length === undefined ? [] : [`content-length: ${length}`]),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
