import type { OpenapiDocument } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { reformatIfJson } from '../json/reformat-json.ts'
import { flattenFields } from './openapi/flatten-fields.ts'
import type { Endpoint } from './openapi/openapi.ts'
import { fillSample } from './requests/fill-sample.ts'
import { formatCurl, formatFetch, formatPython } from './requests/format-request.ts'
import { buildRequest, readExample } from './requests/request.ts'
import { bodyBytesMax, sendRequest } from './requests/send-request.ts'
import { buildSearchIndex, search } from './search/search-index.ts'
import { highlight } from './text/highlight.ts'
import { parseInline, parseMarkdown, slug } from './text/parse-markdown.ts'
import { readErrorGuide, readGuide } from './text/read-guide.ts'

const key = 'tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ'
const service = { baseUrl: 'https://notes.example' }
const guides = [
  readGuide('lend', '# Lend\n\nLend dollars.\n\n## 4. Claim\n\nText.'),
  readGuide('going-live', '# Going live\n\nMove to production.'),
  ...Array.from({ length: 20 }, (_, index) => readGuide(`guide-${index}`, `# Guide ${index}\n\nText.`)),
]

const notes: Endpoint = {
  method: 'GET',
  path: '/notes',
  operation: {
    operationId: 'getNotes',
    tags: ['Notes'],
    summary: 'Current notes',
    description: '',
    security: [{}],
    parameters: ['chainid', 'maturity', 'If-None-Match'].map((name) => ({
      name,
      in: name.startsWith('If') ? 'header' : 'query',
      required: false,
      description: `The ${name}.`,
      schema: { type: 'string' },
    })),
    responses: {
      200: { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/Notes' } } } },
      429: {
        description: '',
        content: {
          'application/json': { schema: {}, examples: { rate_limited: { summary: 'Wait.', value: { code: 1 } } } },
        },
      },
    },
    'x-codeSamples': [
      {
        lang: 'Shell',
        label: 'curl',
        source: 'curl "$TALLYSTICK_URL/notes?chainid=324&maturity=7,14" \\\n  -H "x-api-key: $TALLYSTICK_KEY"',
      },
    ],
  },
}

const document: OpenapiDocument = {
  openapi: '3.1.1',
  info: {
    ...{ title: 'API', version: '1', summary: '', description: '## Keys\n\nText.' },
    ...{ contact: { name: 'Operator' }, license: { name: 'MIT', url: 'https://opensource.org/license/mit' } },
  },
  servers: [],
  tags: [{ name: 'Notes', description: '' }],
  paths: { '/notes': { get: notes.operation } },
  components: {
    schemas: {
      Notes: {
        properties: { data: { items: { $ref: '#/components/schemas/Note' } } },
        required: ['data'],
      },
      Note: {
        properties: {
          coupon: { type: 'string', description: 'Rate of the note.' },
          self: { $ref: '#/components/schemas/Note' },
        },
      },
    },
    headers: {},
    securitySchemes: {},
  },
}

describe('Markdown', () => {
  test('default: blocks, with examples in several languages as one', () => {
    const text =
      '# T\n\nA `b`.\n\n## C `d` & e\n\n- x\n  y\n- z\n\n```sh\ncurl a\n\nb\n```\n\n```ts\nc\n```\n\n```ts\nd\n```\n\n> n\n\n| a | b |\n| --- | --- |\n| 1 | `2` |\n\n```try\ngetNotes\n```\n\n1. one\n2. two'
    expect(parseMarkdown(text)).toEqual([
      { kind: 'heading', level: 1, text: 'T', id: 't' },
      { kind: 'paragraph', text: 'A `b`.' },
      { kind: 'heading', level: 2, text: 'C `d` & e', id: 'c-d-e' },
      { kind: 'list', isOrdered: false, items: ['x y', 'z'] },
      {
        kind: 'samples',
        samples: [
          { language: 'sh', source: 'curl a\n\nb' },
          { language: 'ts', source: 'c' },
        ],
      },
      { kind: 'samples', samples: [{ language: 'ts', source: 'd' }] },
      { kind: 'note', text: 'n' },
      { kind: 'table', columns: ['a', 'b'], rows: [['1', '`2`']] },
      { kind: 'try', operationId: 'getNotes' },
      { kind: 'list', isOrdered: true, items: ['one', 'two'] },
    ])
  })

  test('behavior: hostile text stays text', () => {
    const hostile = '<img src=x onerror=alert(1)> **a [b](c'
    expect(parseMarkdown(hostile)).toEqual([{ kind: 'paragraph', text: hostile }])
    expect(parseInline(hostile)).toEqual([{ kind: 'text', text: hostile }])
    expect(parseInline('[`a`](/docs#b) **c** `**d**`')).toEqual([
      { kind: 'link', text: '`a`', href: '/docs#b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: '**d**' },
    ])
    expect(slug('A <b> / C')).toBe('a-b-c')
    expect(parseMarkdown('')).toEqual([])
  })

  test('behavior: the explanation of an error code is its list', () => {
    const guide = readErrorGuide('# Errors\n\n- none\n\n## `a_b`\n\n- Status: 400.\n- Do: x.\n\n## Other\n\n- y')
    expect([...guide]).toEqual([['a_b', ['Status: 400.', 'Do: x.']]])
  })

  test('error: a guide without a title or a summary', () => {
    expect(() => readGuide('a', '## b\n\nc')).toThrow('must begin with a title')
    expect(() => readGuide('a', '# b')).toThrow('must begin with a title')
  })
})

describe('requests', () => {
  test('default: the form begins with the documented example', () => {
    const input = readExample(notes)
    expect(input).toEqual({ values: { chainid: '324', maturity: '7,14' }, body: '' })
    expect(buildRequest(notes, input)).toMatchObject({
      method: 'GET',
      path: '/notes?chainid=324&maturity=7,14',
      needsKey: true,
    })
  })

  test('behavior: path parameters, bodies and encoded queries are read from the example', () => {
    const at = (path: string, source: string): Endpoint => ({
      method: 'GET',
      path,
      operation: { ...notes.operation, 'x-codeSamples': [{ lang: 'Shell', label: 'curl', source }] },
    })
    expect(readExample(at('/log/tile/{path}', 'curl "$TALLYSTICK_URL/log/tile/entries/000.p/1"')).values).toEqual({
      path: 'entries/000.p/1',
    })
    const encoded = `curl -G "$TALLYSTICK_URL/subgraphs/324" \\\n  --data-urlencode 'query={ a }'`
    expect(readExample(at('/subgraphs/{chainid}', encoded)).values).toEqual({ chainid: '324', query: '{ a }' })
    expect(readExample(at('/data', `curl "$TALLYSTICK_URL/data" -d '{"a":1}'`)).body).toBe('{\n  "a": 1\n}')
    expect(readExample(at('/data', '')).values).toEqual({})
  })

  test('behavior: values are encoded, so that a value cannot become another parameter or path', () => {
    const values = { chainid: '1&maturity=2#?', maturity: '7,14', 'If-None-Match': '"x"' }
    const request = buildRequest(notes, { values, body: '' })
    expect(request.path).toBe('/notes?chainid=1%26maturity%3D2%23%3F&maturity=7,14')
    expect(request.headers).toEqual([['If-None-Match', '"x"']])
  })

  test('behavior: quotes of a value end no string of an example', () => {
    const hostile = `'; rm -rf / #"\\`
    const request = { ...buildRequest(notes, { values: {}, body: '' }), path: '/', headers: [['a', hostile] as const] }
    expect(formatCurl(request, service).source).toContain(`'a: '\\''; rm -rf / #"\\'`)
    expect(formatPython(request, service).source).toContain(`"a": "'; rm -rf / #\\"\\\\"`)
    expect(formatFetch(request, service).source).toContain(`'a': '\\'; rm -rf / #"\\\\'`)
    const posted = { ...request, body: `{"a":[true,null,1.5,"it's"],"b":{}}` }
    expect(formatCurl(posted, service).source).toContain(`-d '{"a":[true,null,1.5,"it'\\''s"],"b":{}}'`)
    expect(formatPython(posted, service).source).toContain(`    "a": [True, None, 1.5, "it's"],\n    "b": {},`)
    const large = { ...request, body: '{"wei": 9007199254740993}' }
    expect(formatCurl(large, service).source).toContain(`-d '{"wei":9007199254740993}'`)
    expect(formatFetch(large, service).source).toContain('"wei": "9007199254740993"')
    expect(formatPython(large, service).source).toContain('"wei": "9007199254740993"')
    expect(formatPython({ ...request, body: 'not json' }, service).source).toContain('body = "not json"')
  })

  test('behavior: the key is in the examples once there is one, and in the environment before', () => {
    const request = buildRequest(notes, { values: {}, body: '' })
    for (const format of [formatCurl, formatPython, formatFetch]) {
      expect(format(request, service).source).toContain('TALLYSTICK_KEY')
      const filled = format(request, { ...service, apiKey: key }).source
      expect(filled).toContain(key)
      expect(filled).not.toMatch(/TALLYSTICK|process\.env|os\.environ|import os/)
    }
    expect(formatCurl(request, { ...service, caCert: "/a b/'ca.pem" }).source).toContain(`--cacert '/a b/'\\''ca.pem'`)
  })

  test('behavior: fills the samples of guides', () => {
    const ts = `const { TALLYSTICK_URL = '', TALLYSTICK_KEY = '' } = process.env\nf(TALLYSTICK_URL, TALLYSTICK_KEY, \`\${TALLYSTICK_URL}/log\`)`
    const fill = (source: string, language: 'sh' | 'ts' | 'python', apiKey?: string) =>
      fillSample({ language, source }, { ...service, apiKey }).source
    expect(fill(ts, 'ts', key)).toBe(`f('https://notes.example', '${key}', \`https://notes.example/log\`)`)
    expect(fill(ts, 'ts')).toContain("process.env['TALLYSTICK_KEY']")
    expect(fill('import os\nos.environ["TALLYSTICK_URL"] + os.environ["TALLYSTICK_KEY"]', 'python', key)).toBe(
      `"https://notes.example" + "${key}"`,
    )
    expect(fill('import os\nos.environ["TALLYSTICK_KEY"]', 'python')).toContain('import os')
    expect(
      fillSample({ language: 'sh', source: 'curl "$TALLYSTICK_URL/a"' }, { ...service, caCert: '/ca.pem' }).source,
    ).toBe(`curl --cacert '/ca.pem' "https://notes.example/a"`)
  })
})

describe('sending', () => {
  const request = buildRequest(notes, { values: {}, body: '' })
  const answerWith = (body: BodyInit, init: ResponseInit = {}) => {
    const sent: { url: string; init: RequestInit }[] = []
    const send = ((url: string, options: RequestInit) => {
      sent.push({ url, init: options })
      return Promise.resolve(new Response(body, init))
    }) as unknown as typeof fetch
    return { send, sent }
  }
  const signal = new AbortController().signal
  const monotonicNow = () => 0

  test('default: the key is in a header and nowhere else', async () => {
    const { send, sent } = answerWith('{}', { status: 403, headers: { 'x-request-id': 'r', server: 'x' } })
    const answer = await sendRequest(request, { apiKey: key, signal, fetch: send, monotonicNow })
    expect(answer).toEqual({
      status: 403,
      durationMs: 0,
      headers: [
        ['content-type', 'text/plain;charset=UTF-8'],
        ['x-request-id', 'r'],
      ],
      body: '{}',
      end: 'complete',
    })
    expect(sent[0]?.init.headers).toEqual([['x-api-key', key]])
    expect(JSON.stringify({ ...sent[0], init: { ...sent[0]?.init, headers: [] } })).not.toContain(key)
    expect(sent[0]?.init).toMatchObject({ credentials: 'omit', redirect: 'error', cache: 'no-store' })
  })

  test('behavior: an endpoint without a key gets none', async () => {
    const { send, sent } = answerWith('')
    await sendRequest({ ...request, needsKey: false }, { apiKey: key, signal, fetch: send, monotonicNow })
    expect(sent[0]?.init.headers).toEqual([])
  })

  test('behavior: a body is read up to the limit', async () => {
    const { send } = answerWith('x'.repeat(bodyBytesMax + 1))
    const large = await sendRequest(request, { signal, fetch: send, monotonicNow })
    expect([large.body.length, large.end]).toEqual([bodyBytesMax, 'size'])
  })

  test('behavior: a stream that is stopped has what was received', async () => {
    const stop = new AbortController()
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(': connected\n'))
        stop.signal.addEventListener('abort', () => controller.error(stop.signal.reason))
      },
    })
    const answer = sendRequest(request, { signal: stop.signal, fetch: answerWith(body).send, monotonicNow })
    setTimeout(() => stop.abort())
    expect(await answer).toMatchObject({ body: ': connected\n', end: 'time' })
  })
})

describe('search', () => {
  const entries = buildSearchIndex(guides, document)
  const titles = (query: string) => search(entries, query).map(({ kind, title }) => `${kind} ${title}`)

  test('default: finds headings, endpoints, fields, parameters and error codes', () => {
    expect(titles('/notes')[0]).toBe('Endpoint GET /notes')
    expect(titles('rate_limited')[0]).toBe('Error rate_limited')
    expect(titles('COUPON')).toContain('Field data[].coupon')
    expect(titles('maturity')[0]).toBe('Parameter maturity')
    expect(titles('going live')[0]).toBe('Guide Going live')
    expect(titles('keys')).toContain('Basics Keys')
    expect(search(entries, 'claim')[0]?.href).toBe('/docs/lend#4-claim')
  })

  test('behavior: every word must occur, and the results are bounded', () => {
    expect(titles('notes zebra')).toEqual([])
    expect(titles('   ')).toEqual([])
    expect(titles('e').length).toBe(12)
    expect(titles(`${'a '.repeat(10_000)}`).length).toBeLessThanOrEqual(12)
    expect(titles('.*[(\\')).toEqual([])
  })

  test('behavior: without the document the guides are found', () => {
    expect(search(buildSearchIndex(guides, undefined), 'claim')[0]?.href).toBe('/docs/lend#4-claim')
  })
})

describe('the reference', () => {
  test('behavior: fields are listed with their paths, also of a schema that refers to itself', () => {
    const fields = flattenFields(document.components.schemas, { schema: { $ref: '#/components/schemas/Notes' } })
    expect(fields.slice(0, 3).map(({ path, type, required }) => [path, type, required])).toEqual([
      ['data', 'array of any', true],
      ['data[].coupon', 'string', false],
      ['data[].self', 'any', false],
    ])
    expect(fields.length).toBeLessThan(30)
  })

  test('behavior: colours change no character', () => {
    const samples: readonly [string, 'sh' | 'ts' | 'python'][] = [
      ["curl 'a' -H \"b: $C\" # d\n'unclosed", 'sh'],
      ['const a = `b $' + '{c}` // d "e"\nconst f = 10n ** 18n', 'ts'],
      ['f"{a[1]}" # c\nNone', 'python'],
    ]
    for (const [source, language] of samples) {
      const text = highlight(source, language).map((token) => token.text)
      expect(text.join('')).toBe(source)
    }
    expect(highlight('{"a": "b // c", "d": 1}', 'json').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'plain {',
      'name "a"',
      'plain : ',
      'string "b // c"',
      'plain , ',
      'name "d"',
      'plain : ',
      'number 1',
      'plain }',
    ])
  })
})

test('behavior: a response body is shown with the integers that were received', () => {
  expect(reformatIfJson('{"wei":9007199254740993}', '  ')).toBe('{\n  "wei": 9007199254740993\n}')
  expect(reformatIfJson('event: notes', '  ')).toBe('event: notes')
})
