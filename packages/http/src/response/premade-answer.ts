import type { ServerResponse } from 'node:http'

/** Bytes of a response, head and body, split where the lines of each request are inserted. */
export type PremadeAnswer = { readonly before: string; readonly after: string }

/** Functions that create and send premade responses. Tests inject a different writer. */
export type PremadeWriter = {
  /** Takes the head that Node has just created and appends the body. Returns undefined if there is no such head. */
  premake(
    response: ServerResponse,
    parts: { readonly changing: string; readonly body: string },
  ): PremadeAnswer | undefined
  /** Sends a premade response with the lines of this request, in one write. */
  send(response: ServerResponse, premade: PremadeAnswer, changing: string): void
}

/** Undocumented member in which every Node version so far keeps the head of a response. */
type Headed = { _header?: unknown }

/**
 * Writes responses through `_header`. `verifyPremadeWriter` compares its bytes with those of `writeHead` and `end` when
 * the service starts.
 */
export const premadeWriter: PremadeWriter = {
  premake: (response, { changing, body }) => {
    const { _header: head } = response as Headed
    if (typeof head !== 'string' || !Object.hasOwn(response, '_header')) return undefined
    const [before, after, ...others] = head.split(changing)
    if (before === undefined || after === undefined || others.length > 0) return undefined
    return { before, after: after + body }
  },
  // Node validated each name and value when it created the head.
  send: (response, { before, after }, changing) => {
    const headed = response as Headed
    headed._header = before + changing + after
    response.end()
    // An idle connection keeps its last response, so the written text is released here. Any text in `_header` marks the
    // head as sent.
    headed._header = before
  },
}
