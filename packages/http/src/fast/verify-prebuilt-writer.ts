import { createServer, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { type FastAnswer, type PrebuiltWriter, sendPrebuilt, writeHead } from '../head.ts'

type Answer = Omit<FastAnswer, 'prebuilt'>

const body = Buffer.from('{"text":"é"}')
const date = ['date', 'Thu, 01 Jan 1970 00:00:00 GMT']
const ok: Answer = {
  status: 200,
  headers: [...date, 'content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)],
  body: body.toString('latin1'),
}
const notModified: Answer = { status: 304, headers: date, body: '' }

// The exchange takes about 1 ms. A writer that sends nothing fails after this time.
const timeoutMsDefault = 2_000

/**
 * Compares the responses of a `PrebuiltWriter` with those of `writeHead` and `end`, byte by byte, on this version of Node.
 * Each responds to the same requests of one in-memory connection. Returns why the writer must not be used, or undefined
 * if the bytes are equal.
 */
export async function verifyPrebuiltWriter(
  writer: PrebuiltWriter,
  timeoutMs = timeoutMsDefault,
): Promise<string | undefined> {
  for (const answer of [ok, notModified]) {
    for (const isPipelined of [false, true]) {
      const problem = await findDifference(writer, { answer, isPipelined, timeoutMs })
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

type Trial = Omit<Exchange, 'respond'> & { readonly answer: Answer }

async function findDifference(
  writer: PrebuiltWriter,
  { answer, isPipelined, timeoutMs }: Trial,
): Promise<string | undefined> {
  const byNode = await exchange({
    isPipelined,
    timeoutMs,
    respond: (path, response) => {
      writeHead(response, answer, linesOf(path))
      response.end(answer.body, 'latin1')
    },
  })
  const fast: FastAnswer = { ...answer, prebuilt: undefined }
  const byWriter = await exchange({
    isPipelined,
    timeoutMs,
    respond: (path, response) => sendPrebuilt(response, { writer, answer: fast, lines: linesOf(path) }),
  })
  if (byWriter instanceof Error) return byWriter.message
  if (!fast.prebuilt) return 'the response has no head from writeHead'
  return byNode === byWriter ? undefined : `the bytes of status ${answer.status} differ`
}

/** Returns the lines that differ between requests, of different lengths. */
function linesOf(path: string): string {
  return `x-request-id: ${path.repeat(2)}\r\n`
}

type Exchange = {
  readonly isPipelined: boolean
  readonly timeoutMs: number
  readonly respond: (path: string, response: ServerResponse) => void
}

/** Sends four requests to an HTTP server over one connection. Returns all bytes of its responses, or the error that ended it. */
async function exchange({ isPipelined, timeoutMs, respond }: Exchange): Promise<string | Error> {
  const paths = ['/first', '/second', '/third', '/last']
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
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
    const server = createServer(({ url = '' }, response) => {
      response.once('close', () => {
        if (url === '/last') finish(Buffer.concat(chunks).toString('latin1'))
        else if (!isPipelined) socket.push(requests.shift())
      })
      try {
        respond(url, response)
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)))
      }
    })
    // Node documents this event as a way to pass any stream to an HTTP server.
    server.emit('connection', socket)
    socket.push(isPipelined ? requests.join('') : requests.shift())
  })
}
