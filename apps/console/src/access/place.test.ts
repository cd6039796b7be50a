import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatPlace, parsePlace } from './place.ts'

test('default: a view, what is below it and its filters are in the URL', () => {
  expect(parsePlace('#webhooks/hook_1/12')).toEqual({ view: 'webhooks', path: ['hook_1', '12'], query: {} })
  expect(parsePlace('#audit?by=a%20b&action=key')).toEqual({
    view: 'audit',
    path: [],
    query: { by: 'a b', action: 'key' },
  })
  expect(parsePlace('')).toEqual({ view: '', path: [], query: {} })
  expect(formatPlace('audit', { query: { by: 'alice', action: '' } })).toBe('#audit?by=alice')
})

test('behavior: every place is found again, and no URL breaks the page', () => {
  const part = fc.string({ minLength: 1, unit: 'grapheme' })
  const query = fc.dictionary(part, part, { noNullPrototype: true })
  fc.assert(
    fc.property(part, fc.array(part), query, (view, path, filters) => {
      expect(parsePlace(formatPlace(view, { path, query: filters }))).toEqual({ view, path, query: filters })
    }),
  )
  fc.assert(fc.property(fc.string(), (hash) => typeof parsePlace(`#${hash}%`).view === 'string'))
})
