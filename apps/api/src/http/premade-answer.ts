import type { ServerResponse } from 'node:http'

/** An answer as it goes over the wire, head and body, cut where the lines stand that differ from one to the next. */
export type PremadeAnswer = { readonly before: string; readonly after: string }

/** Functions that make and send premade answers. Tests inject a writer that differs. */
export type PremadeWriter = {
  /** Takes the head that Node has just made for an answer and appends the body. Undefined if there is no such head. */
  premake(
    response: ServerResponse,
    parts: { readonly changing: string; readonly body: string },
  ): PremadeAnswer | undefined
  /** Sends a premade answer with the lines of this request, in one write. */
  send(response: ServerResponse, premade: PremadeAnswer, changing: string): void
}

/** Where every version of Node so far keeps what it sends ahead of anything written. It is not documented: see below. */
type Headed = { _header?: unknown }

/**
 * Writes answers by `_header`, an undocumented member of Node's responses. `verifyPremadeWriter` compares its bytes with
 * those of `writeHead` and `end` when the service starts.
 */
export const premadeWriter: PremadeWriter = {
  premake: (response, { changing, body }) => {
    const { _header: head } = response as Headed
    if (typeof head !== 'string' || !Object.hasOwn(response, '_header')) return undefined
    const [before, after, ...others] = head.split(changing)
    if (before === undefined || after === undefined || others.length > 0) return undefined
    return { before, after: after + body }
  },
  // Nothing is validated again: Node has validated each name and value when it made the head.
  send: (response, { before, after }, changing) => {
    const headed = response as Headed
    headed._header = before + changing + after
    response.end()
    // The answer is written. An idle connection keeps its last response, so the text of the answer is released here. The
    // rest still tells Node that a head was sent.
    headed._header = before
  },
}
