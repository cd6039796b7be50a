import type { ServerResponse } from 'node:http'

/** The head of an answer as it goes over the wire, cut where the lines stand that differ from one answer to the next. */
export type PremadeHead = { readonly before: string; readonly after: string }

/** What every version of Node so far keeps the head in. It is not documented: see `readHead`. */
type Headed = { _header?: unknown }

/**
 * Cuts the head that Node has just made for an answer. Undefined where Node does not keep it as expected: then every
 * answer has its head made by `writeHead`, which is slower and the same.
 */
export function readHead(response: ServerResponse, changing: string): PremadeHead | undefined {
  const { _header: head } = response as Headed
  if (typeof head !== 'string' || !Object.hasOwn(response, '_header')) return undefined
  const [before, after, ...others] = head.split(changing)
  return before !== undefined && after !== undefined && others.length === 0 ? { before, after } : undefined
}

/** Gives an answer its head in place of `writeHead`, which has checked each name and value once already. */
export function setHead(response: ServerResponse, { before, after }: PremadeHead, changing: string): void {
  ;(response as Headed)._header = before + changing + after
}
