import { describe, expect, test } from 'vitest'
import { createEventParser, type ServerEvent } from './event-parser.ts'

function parse(...texts: readonly string[]) {
  const events: ServerEvent[] = []
  const parser = createEventParser('', (event) => events.push(event))
  for (const text of texts) parser.feed(text)
  return { events, lastEventId: parser.lastEventId }
}

const stream = ': connected\nretry: 2000\nid: 1-0\n\nid: 2-ab\nevent: notes\ndata: {"é":1}\n\n: heartbeat\nid: 3-cd\n\n'
const parsed = { events: [{ event: 'notes', data: '{"é":1}' }], lastEventId: '3-cd' }

test('default: events, comments, and ids without data', () => {
  expect(parse(stream)).toEqual(parsed)
})

test.each(['\n', '\r\n', '\r'])('behavior: line breaks %j, split at every place', (lineBreak) => {
  // The last character shows whether a carriage return ended a line.
  const text = `${stream.replaceAll('\n', lineBreak)}:`
  for (let at = 0; at <= text.length; at++) expect(parse(text.slice(0, at), text.slice(at))).toEqual(parsed)
  expect(parse(...text)).toEqual(parsed)
})

describe('behavior: the fields of the standard', () => {
  test.each([
    ['data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
    ['data\n\n', [{ event: 'message', data: '' }]],
    ['data:a\n\n', [{ event: 'message', data: 'a' }]],
    ['data:  a\n\n', [{ event: 'message', data: ' a' }]],
    ['data: a: b\n\n', [{ event: 'message', data: 'a: b' }]],
    ['event: x\n\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
    ['unknown: x\nDATA: x\n\n', []],
    ['data: incomplete\n', []],
  ])('%j', (text, events) => {
    expect(parse(text).events).toEqual(events)
  })

  test.each([
    ['id: 1\n\nid: 2\ndata: cut', '1'],
    ['id: 1\n\nid: 2\ndata: cut\n', '1'],
    ['id: 1\n\nid: 2\n', '1'],
    ['id: 1\n\ndata: without an id\n\n', '1'],
    ['id: 1\n\nid: 2\nid: 3\ndata: a\n\n', '3'],
    ['id: 1\n\nid\ndata: cut\n', '1'],
  ])('%j: the id of an event without its blank line is discarded with it', (text, lastEventId) => {
    for (let at = 0; at <= text.length; at++)
      expect(parse(text.slice(0, at), text.slice(at)).lastEventId).toBe(lastEventId)
  })

  test('an event has its id when it is dispatched, and not before', () => {
    const ids: string[] = []
    const parser = createEventParser('0', () => ids.push(parser.lastEventId))
    for (const part of ['id: 1\n', 'data: a\n', '\n', 'id: 2\ndata: b\n\n']) {
      parser.feed(part)
      ids.push(parser.lastEventId)
    }
    expect(ids).toEqual(['0', '0', '1', '1', '2', '2'])
  })

  test('a carriage return ends a line at once, also at the end of the stream', () => {
    expect(parse('id: 1\rdata: a\r\r')).toEqual({ events: [{ event: 'message', data: 'a' }], lastEventId: '1' })
    expect(parse('data: a\r', '\n', '\r', '\ndata: b\r\n\r\n').events.map(({ data }) => data)).toEqual(['a', 'b'])
  })

  test('an id with NUL is ignored, and an empty one removes it', () => {
    expect(parse('id: 1\n\nid: 2\0\n\n').lastEventId).toBe('1')
    expect(parse('id: 1\n\nid\n\n').lastEventId).toBe('')
  })
})

test('error: an event without an end is bounded, in one line or many', () => {
  const chunk = 'x'.repeat(64 * 1024)
  const feedAll = (text: string) => {
    const parser = createEventParser('', () => undefined)
    for (let fed = 0; fed < 2 * 1024 * 1024; fed += text.length) parser.feed(text)
  }
  expect(() => feedAll(chunk)).toThrow('exceeds 1 MiB')
  expect(() => feedAll(`data: ${chunk}\n`)).toThrow('exceeds 1 MiB')
  expect(() => feedAll(`: ${chunk}\n`)).toThrow('exceeds 1 MiB')
  expect(() => feedAll(`data: ${chunk}\n\n`)).not.toThrow()
})
