import { connect } from 'node:tls'

export type Load = {
  readonly port: number
  readonly ca: string
  /** One whole request without a body, as bytes on the wire. */
  readonly request: string
  readonly seconds: number
}

const connections = 32
const headEnd = Buffer.from('\r\n\r\n')

/**
 * Answers per second over keep-alive TLS connections, one request under way on each. Of an answer only its head's end
 * is looked for, its length being that of the first, so that on two cores the generator does not starve the server.
 */
export async function measureLoad({ port, ca, request, seconds }: Load): Promise<number> {
  const payload = Buffer.from(request)
  let answers = 0
  let bodyBytes: number | undefined
  const startedAt = performance.now()
  const client = () =>
    new Promise<void>((resolve, reject) => {
      let head: Buffer = Buffer.alloc(0)
      let pending = 0
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca }, () => socket.write(payload))
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => {
        if (pending === 0) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
          const end = head.indexOf(headEnd)
          if (end === -1) return
          bodyBytes ??= Number(/content-length: (\d+)/i.exec(head.toString('latin1', 0, end))?.[1] ?? 0)
          pending = end + headEnd.length + bodyBytes - head.length
          head = Buffer.alloc(0)
        } else pending -= chunk.length
        if (pending > 0) return
        answers++
        if (performance.now() - startedAt < seconds * 1000) socket.write(payload)
        else socket.end(resolve)
      })
    })
  await Promise.all(Array.from({ length: connections }, client))
  return answers / ((performance.now() - startedAt) / 1000)
}
