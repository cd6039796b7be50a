import { etagOf } from '@tallystick/base'
import { chooseMediaType, jsonType, matchesEtag } from '@tallystick/http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Types of a history response. */
export const historyTypes = [jsonType, 'text/csv'] as const

type Page = { readonly nextCursor: string | null }

/** Sends a page of a history in the format that the request prefers, JSON or CSV. */
export function sendHistory<Response extends Page>(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    response,
    formatCsv,
    name,
    cacheControl,
  }: {
    readonly response: Response
    readonly formatCsv: (response: Response) => string
    /** Name of the file, without its ending. */
    readonly name: string
    readonly cacheControl: string
  },
): FastifyReply {
  const type = chooseMediaType(request.headers.accept, historyTypes)
  const body = type === jsonType ? JSON.stringify(response) : formatCsv(response)
  const etag = etagOf(body)
  const vary = [reply.getHeader('vary') ?? [], 'accept'].flat().join(', ')
  reply.headers({ etag, 'cache-control': cacheControl, vary })
  if (response.nextCursor !== null) reply.header('link', formatNext(request, response.nextCursor))
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (type === 'text/csv') reply.header('content-disposition', `attachment; filename="${name}.csv"`)
  return reply.type(`${type}; charset=utf-8`).send(body)
}

/** Returns the link to the next page (RFC 8288), for programs that read no JSON. */
function formatNext(request: FastifyRequest, cursor: string): string {
  const query = new URLSearchParams({ ...(request.query as Record<string, string>), cursor })
  return `<${request.routeOptions.url}?${query}>; rel="next"`
}
