import type { ServerResponse } from 'node:http'

/** An answer as it goes over the wire, head and body, cut where the lines stand that differ from one to the next. */
export type PremadeAnswer = { readonly before: string; readonly after: string }

/** Where every version of Node so far keeps what it sends ahead of anything written. It is not documented: see below. */
type Headed = { _header?: unknown }

/**
 * Takes the head that Node has just made for an answer, and puts the body to it. Undefined where Node does not keep the
 * head as expected: then every answer is made by `writeHead` and `end`, which is slower and the same.
 */
export function premake(
  response: ServerResponse,
  { changing, body }: { readonly changing: string; readonly body: string },
): PremadeAnswer | undefined {
  const { _header: head } = response as Headed
  if (typeof head !== 'string' || !Object.hasOwn(response, '_header')) return undefined
  const [before, after, ...others] = head.split(changing)
  if (before === undefined || after === undefined || others.length > 0) return undefined
  return { before, after: after + body }
}

/** Sends it in one piece. Nothing of it is checked again: Node has checked each name and value once already. */
export function sendPremade(response: ServerResponse, { before, after }: PremadeAnswer, changing: string): void {
  const headed = response as Headed
  headed._header = before + changing + after
  response.end()
  // It is on its way. What is left says that there was a head, and is everybody's: a connection that is quiet keeps its
  // last answer, and would keep the text of it.
  headed._header = before
}
