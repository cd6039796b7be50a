import { createDateFormatter, type FastAnswer } from '../head.ts'
import type { AnswerSource, RememberedRoute } from './remember-answers.ts'

/** The answer of one second. */
export type PreparedAnswer = {
  readonly second: number
  readonly found: object
  readonly etag: string | undefined
  readonly full: FastAnswer
  readonly notModified: FastAnswer
}

/** Creates the function that makes the answers of one second. */
export function createPrepare(headersOf: (route: RememberedRoute) => Readonly<Record<string, string>>) {
  const formatDate = createDateFormatter()
  return (
    { route, source }: { readonly route: RememberedRoute; readonly source: AnswerSource },
    { found, nowMs }: { readonly found: object; readonly nowMs: number },
  ): PreparedAnswer => {
    const { body, mediaType, etag, headers } = source.respond(found, nowMs)
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const common = { ...headersOf(route), date: formatDate(nowMs), ...headers, etag }
    const about = { 'content-type': `${mediaType}; charset=utf-8`, 'content-length': String(bytes.length) }
    return {
      // In the first millisecond of a second, max-age is 1 s higher, so those answers are not kept.
      second: nowMs % 1000 === 0 ? Number.NaN : Math.floor(nowMs / 1000),
      found,
      etag,
      full: createAnswer(200, { ...common, ...about }, bytes.toString('latin1')),
      notModified: createAnswer(304, common, ''),
    }
  }
}

function createAnswer(
  status: FastAnswer['status'],
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
): FastAnswer {
  const present = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
  return { status, headers: present, body, prebuilt: undefined }
}
