import { MalformedAnswerError } from '../errors.ts'

/** Event of a stream. */
export type ServerEvent = { readonly event: string; readonly data: string }

export type EventParser = ReturnType<typeof createEventParser>

// The notes of a chain have about 4 KB. Anything this large is not a stream of the service.
const charactersMax = 1024 * 1024

/** Creates a parser of server-sent events (HTML standard, §9.2.6). It keeps one incomplete event of at most 1 MiB. */
export function createEventParser(lastEventId: string, onEvent: (event: ServerEvent) => void) {
  let rest = ''
  let endsWithReturn = false
  let size = 0
  let id = lastEventId
  let idOfBlock = lastEventId
  let event = ''
  let data: string[] = []
  const dispatch = () => {
    const received = data.length > 0 ? { event: event || 'message', data: data.join('\n') } : undefined
    event = ''
    data = []
    size = 0
    id = idOfBlock
    if (received) onEvent(received)
  }
  const readLine = (line: string) => {
    if (line === '') return dispatch()
    const [, name = line, value = ''] = /^([^:]*): ?([\s\S]*)$/.exec(line) ?? []
    size += line.length
    if (name === 'data') data.push(value)
    if (name === 'event') event = value
    if (name === 'id' && !value.includes('\0')) idOfBlock = value
  }
  return {
    /** Parses the next text of a stream. */
    feed: (text: string) => {
      // A carriage return ended the last text: this is the second half of its line break.
      const isHalf = endsWithReturn && text.startsWith('\n')
      if (text !== '') endsWithReturn = text.endsWith('\r')
      const lines = (rest + (isHalf ? text.slice(1) : text)).split(/\r\n|\n|\r/)
      rest = lines.pop() ?? ''
      for (const line of lines) readLine(line)
      if (rest.length + size > charactersMax) throw tooLarge()
    },
    /** Id of the last event that is complete, also of a block without data. An event that was cut does not change it. */
    get lastEventId() {
      return id
    },
  }
}

function tooLarge(): MalformedAnswerError {
  const message = 'GET /events sent an event that exceeds 1 MiB.'
  return new MalformedAnswerError({ code: 'malformed_answer', message, retryable: false })
}
