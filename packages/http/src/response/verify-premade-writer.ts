import { createServer, type RequestListener } from 'node:http'
import { Duplex } from 'node:stream'
import { type LaneAnswer, sendByNode, sendLaneAnswer } from './lane-answer.ts'
import type { PremadeWriter } from './premade-answer.ts'

// The exchange takes about 1 ms. A writer that sends nothing fails after this time.
const timeoutMsDefault = 2_000
const requests = ['/first', '/second', '/third', '/last'] as const
const body = Buffer.from('{"text":"é"}')
const head = [
  ...['date', 'Thu, 01 Jan 1970 00:00:00 GMT', 'content-type', 'application/json; charset=utf-8'],
  ...['content-length', String(body.length)],
]

/**
 * Compares the responses of a `PremadeWriter` with those of `writeHead` and `end`, byte by byte, on this version of Node.
 * Each responds to the same requests of one in-memory connection. Returns why the writer must not be used, or undefined
 * if the bytes are equal.
 */
export async function verifyPremadeWriter(
  writer: PremadeWriter,
  timeoutMs = timeoutMsDefault,
): Promise<string | undefined> {
  for (const answer of [{ status: 200, headers: head, body: body.toString('latin1') } as const, unchanged]) {
    for (const isPipelined of [false, true]) {
      const byNode = await exchange({
        isPipelined,
        timeoutMs,
        respond: (path, response) => sendByNode(response, answer, linesOf(path)),
      })
      const premade: LaneAnswer = { ...answer, premade: undefined }
      const byWriter = await exchange({
        isPipelined,
        timeoutMs,
        respond: (path, response) => sendLaneAnswer(response, { writer, answer: premade, changing: linesOf(path) }),
      })
      if (byWriter instanceof Error) return byWriter.message
      if (!premade.premade) return 'the response has no head from writeHead'
      if (byNode instanceof Error || byNode !== byWriter) return `the bytes of status ${answer.status} differ`
    }
  }
  return undefined
}

const unchanged = { status: 304, headers: head.slice(0, 2), body: '' } as const

/** Returns the lines that differ between requests, of different lengths. */
function linesOf(path: string): string {
  return `x-request-id: ${path.repeat(2)}\r\n`
}

type Exchange = {
  readonly isPipelined: boolean
  readonly timeoutMs: number
  readonly respond: (path: string, response: Parameters<RequestListener>[1]) => void
}

/** Returns all bytes that an HTTP server sends over one connection, or the error that ended it. */
async function exchange({ isPipelined, timeoutMs, respond }: Exchange): Promise<string | Error> {
  const texts = requests.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        chunks.push(chunk)
        done()
      },
    })
    const finish = (result: string | Error) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => finish(new Error(`no complete response within ${timeoutMs} ms`)), timeoutMs)
    socket.on('error', finish)
    const server = createServer((request, response) => {
      response.once('close', () => {
        if (request.url === requests.at(-1)) finish(Buffer.concat(chunks).toString('latin1'))
        else if (!isPipelined) socket.push(texts.shift())
      })
      try {
        respond(request.url ?? '', response)
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)))
      }
    })
    // Node documents this event as a way to pass any stream to an HTTP server.
    server.emit('connection', socket)
    socket.push(isPipelined ? texts.join('') : texts.shift())
  })
}
