import type { ServerResponse } from 'node:http'
import type { PremadeAnswer, PremadeWriter } from './premade-answer.ts'

/** Response of a lane without the header lines that differ between requests. */
export type LaneAnswer = {
  readonly status: 200 | 304
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** One character per byte (latin1). As one string, head and body are one write. */
  readonly body: string
  /** Set when the response is first sent. */
  premade: PremadeAnswer | undefined
}

/** Sends a response. Node creates the head of the first one. Later ones reuse it with their own lines. */
export function sendLaneAnswer(
  response: ServerResponse,
  {
    writer,
    answer,
    changing,
  }: { readonly writer: PremadeWriter; readonly answer: LaneAnswer; readonly changing: string },
): void {
  if (answer.premade) {
    response.statusCode = answer.status
    writer.send(response, answer.premade, changing)
    return
  }
  writeHead(response, answer, changing)
  answer.premade = writer.premake(response, { changing, body: answer.body })
  response.end(answer.body, 'latin1')
}

/** Sends a response with Node's public functions only. */
export function sendByNode(response: ServerResponse, answer: Omit<LaneAnswer, 'premade'>, changing: string): void {
  writeHead(response, answer, changing)
  response.end(answer.body, 'latin1')
}

function writeHead(response: ServerResponse, { status, headers }: Omit<LaneAnswer, 'premade'>, changing: string): void {
  response.writeHead(status, [...headers, ...changing.split(/: |\r\n/).slice(0, -1)])
}
