import { describe, expect, test } from 'vitest'
import { parseFeed } from './parse-feed.ts'

const d = 'xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"'
const m = 'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"'
const atom = 'xmlns="http://www.w3.org/2005/Atom"'
const index = '<d:INDEX_DATE m:type="Edm.DateTime">2024-11-22T00:00:00</d:INDEX_DATE>'

function feed(entries: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><feed ${atom} ${d} ${m}><title>x</title>${entries}</feed>`
}

function entry(properties: string): string {
  return `<entry><id/><content type="application/xml"><m:properties>${properties}</m:properties></content></entry>`
}

test('default: returns the rows in order, with their values', () => {
  const rows = parseFeed(
    feed(
      entry(`${index}<d:ROUND_B1_CLOSE_4WK_2 m:type="Edm.Double"> 4.53 </d:ROUND_B1_CLOSE_4WK_2>`) +
        entry('<d:INDEX_DATE>2024-11-21</d:INDEX_DATE>'),
    ),
  )
  expect(rows.map(({ date, columns }) => [date, columns.get('ROUND_B1_CLOSE_4WK_2')])).toEqual([
    ['2024-11-22', '4.53'],
    ['2024-11-21', undefined],
  ])
})

test('behavior: null, empty and absent are missing; zero is not', () => {
  const [row] = parseFeed(
    feed(entry(`${index}<d:A m:null="true"/><d:B m:null="true">4.53</d:B><d:C/><d:D> </d:D><d:E>0.00</d:E>`)),
  )
  expect([...(row?.columns.keys() ?? [])]).toEqual(['INDEX_DATE', 'E'])
})

test('behavior: names are matched by namespace, not by prefix', () => {
  const [row] = parseFeed(
    `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:content><p:properties ${m.replace('xmlns:m', 'xmlns:p')}
       ${d.replace('xmlns:d', 'xmlns:q')}><q:INDEX_DATE>2024-11-22T00:00:00</q:INDEX_DATE><q:X>1</q:X>
       <X xmlns="http://elsewhere">2</X><Y>3</Y></p:properties></a:content></a:entry></a:feed>`,
  )
  expect(Object.fromEntries(row?.columns ?? [])).toEqual({ INDEX_DATE: '2024-11-22T00:00:00', X: '1' })
})

test('behavior: a month without rows is an empty feed', () => {
  expect(parseFeed(feed(''))).toEqual([])
})

const laughs = `<!DOCTYPE feed [<!ENTITY a "ha">${[...'bcdefghi']
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefgh'[index]};`.repeat(10)}">`)
  .join('')}]><feed ${atom}>&i;</feed>`

describe('rejects other documents', () => {
  test.each([
    ['nothing', '', 'malformed'],
    ['JSON', '{"rows":[]}', 'malformed'],
    ['a page', '<!DOCTYPE html><html><body>Maintenance<br></body></html>', 'malformed'],
    ['a page that is XML', '<html><body>Maintenance</body></html>', 'wrong_shape'],
    ['a document type', `<!DOCTYPE feed><feed ${atom}/>`, 'wrong_shape'],
    ['an entity', `<!DOCTYPE feed [<!ENTITY x "4.53">]><feed ${atom}>&x;</feed>`, 'malformed'],
    ['half a feed', feed(entry(index)).slice(0, -20), 'malformed'],
    ['an undeclared prefix', `<feed ${atom}><entry><content><m:properties/></content></entry></feed>`, 'malformed'],
    ['an entry without properties', feed('<entry><content/></entry>'), 'wrong_shape'],
    ['properties of another namespace', feed('<entry><content><properties/></content></entry>'), 'wrong_shape'],
    ['a row without a date', feed(entry('<d:X>1</d:X>')), 'wrong_shape'],
    ['a date that is null', feed(entry('<d:INDEX_DATE m:null="true"/>')), 'wrong_shape'],
    ['a date that does not exist', feed(entry('<d:INDEX_DATE>2024-02-30T00:00:00</d:INDEX_DATE>')), 'wrong_shape'],
    ['a date of another form', feed(entry('<d:INDEX_DATE>11/22/2024</d:INDEX_DATE>')), 'wrong_shape'],
    ['a date with an hour', feed(entry('<d:INDEX_DATE>2024-11-22T16:00:00</d:INDEX_DATE>')), 'wrong_shape'],
    ['a column twice', feed(entry(`${index}<d:X>1</d:X><d:X>2</d:X>`)), 'wrong_shape'],
    ['a column of elements', feed(entry(`${index}<d:X><d:Y>4</d:Y><d:Y>.53</d:Y></d:X>`)), 'wrong_shape'],
    ['an entity that grows', laughs, 'malformed'],
    ['an entity of a file', `<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/hostname">]><feed>&x;</feed>`, 'malformed'],
    [
      'a document type of another server',
      `<!DOCTYPE f [<!ENTITY % x SYSTEM "http://[::1]:1/"> %x;]><feed/>`,
      'wrong_shape',
    ],
    ['a date of 1924', feed(entry('<d:INDEX_DATE>1924-11-22T00:00:00</d:INDEX_DATE>')), 'wrong_shape'],
    ['a date of the year 9999', feed(entry('<d:INDEX_DATE>9999-11-22T00:00:00</d:INDEX_DATE>')), 'wrong_shape'],
  ])('error: %s', (_, text, failure) => {
    expect(() => parseFeed(text)).toThrow(expect.objectContaining({ name: 'TreasuryFeedError', failure }))
  })
})

// A recursive parser would overflow the stack at 15,000 levels.
test('behavior: withstands deep and wide documents', () => {
  expect(() => parseFeed('<a>'.repeat(15_000))).toThrow(expect.objectContaining({ failure: 'malformed' }))
  expect(() => parseFeed(`<feed>${'<entry/>'.repeat(15_000)}</feed>`)).toThrow(
    expect.objectContaining({ failure: 'wrong_shape' }),
  )
})

// The parser would take minutes for the first, in the thread that serves notes.
test.each([
  [
    'namespaces',
    Array.from({ length: 257 }, (_, at) => `<a xmlns:n${at}="u">`).join(''),
    'more than 256 times "xmlns"',
  ],
  ['elements', '<a/>'.repeat(20_001), 'more than 20000 times "<"'],
  [
    'attributes',
    `<a ${Array.from({ length: 20_001 }, (_, at) => `n${at}=""`).join(' ')}/>`,
    'more than 20000 times "="',
  ],
])('error: a document with too many %s is not parsed', (_, text, message) => {
  expect(() => parseFeed(text)).toThrow(
    expect.objectContaining({ failure: 'wrong_shape', message: expect.stringContaining(message) }),
  )
})

test('error: a name of a megabyte is cut in the message', () => {
  const name = 'x'.repeat(500_000)
  for (const text of [`<${name}/>`, feed(entry(`${index}<d:${name}/><d:${name}/>`))]) {
    const message = expect.stringMatching(/^.{0,200}$/)
    expect(() => parseFeed(text)).toThrow(expect.objectContaining({ failure: 'wrong_shape', message }))
  }
})
