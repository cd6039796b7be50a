import { connect } from 'node:tls'

export type Load = {
  readonly port: number
  readonly ca: string
  /** A whole request as bytes on the wire: always the same, or by its number. */
  readonly request: string | ((index: number) => string)
  readonly seconds: number
  readonly connections?: number
}

export type LoadResult = {
  /** Answers per second. */
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * Loads a server over keep-alive TLS connections, one request under way on each. Of an answer only its status, its length
 * and its end are looked for, so that on two cores the generator does not starve the server. An answer that is not a
 * success (or 304) ends the measurement: a server that refuses is fast at it.
 */
export async function measureLoad({ port, ca, request, seconds, connections = 32 }: Load): Promise<LoadResult> {
  const fixed = typeof request === 'string' ? Buffer.from(request) : undefined
  let sent = 0
  const nextRequest = () => fixed ?? Buffer.from((request as (index: number) => string)(sent++))
  const times: number[] = []
  const startedAt = performance.now()
  const client = () =>
    new Promise<void>((resolve, reject) => {
      let head: Buffer = Buffer.alloc(0)
      let pending = 0
      let sentAt = 0
      const send = () => {
        sentAt = performance.now()
        socket.write(nextRequest())
      }
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca }, send)
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => {
        if (pending === 0) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
          const end = head.indexOf(headEnd)
          if (end === -1) return
          const text = head.toString('latin1', 0, end)
          if (!/^HTTP\/1\.1 (2|304)/.test(text)) return reject(new Error(head.toString()))
          pending = end + headEnd.length + contentLengthOf(text) - head.length
          head = Buffer.alloc(0)
        } else pending -= chunk.length
        if (pending > 0) return
        const now = performance.now()
        times.push(now - sentAt)
        if (now - startedAt < seconds * 1000) send()
        else socket.end(resolve)
      })
    })
  await Promise.all(Array.from({ length: connections }, client))
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  times.sort((a, b) => a - b)
  const quantile = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { rate: times.length / elapsedSeconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

/** Without a regular expression: this is looked for in every answer. */
function contentLengthOf(head: string): number {
  const at = head.indexOf('ontent-length: ') + 'ontent-length: '.length
  return at < 'ontent-length: '.length ? 0 : Number.parseInt(head.slice(at, at + 12), 10)
}
