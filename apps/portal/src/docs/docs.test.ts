import type { OpenapiDocument } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { reformatIfJson } from '../json/reformat-json.ts'
import { flattenFields } from './openapi/flatten-fields.ts'
import type { Endpoint } from './openapi/openapi.ts'
import { fillSample } from './requests/fill-sample.ts'
import { formatCurl, formatFetch, formatPython } from './requests/format-request.ts'
import { buildRequest, readExample } from './requests/request.ts'
import { bodyBytesMax, sendRequest } from './requests/send-request.ts'
import { highlight } from './text/highlight.ts'
import { renderInline, renderMarkdown } from './text/render-markdown.ts'
import { slug } from './text/slug.ts'

const key = 'tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ'
const service = { baseUrl: 'https://notes.example' }
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
  const render = (markdown: string) => renderMarkdown(markdown, { label: 'T & U' })

  test('default: texts are HTML, and examples in several languages are one', () => {
    const markdown =
      '## C `d` & e\n\nA **[b](/docs)**.\n\n```sh\ncurl a\n\nb\n```\n\n```ts\nc\n```\n\n```ts\nd\n```\n\n> n\n\n```\n<out>\n```\n\n```try\ngetNotes\n```\n\n1. one\n   - two'
    expect(render(markdown)).toEqual([
      {
        kind: 'html',
        html: '<h2 id="c-d--e" class="docs-heading"><a href="#c-d--e">C <code>d</code> &amp; e</a></h2><p>A <strong><a href="/docs">b</a></strong>.</p>\n',
      },
      {
        kind: 'samples',
        samples: [
          { language: 'sh', source: 'curl a\n\nb' },
          { language: 'ts', source: 'c' },
        ],
      },
      { kind: 'samples', samples: [{ language: 'ts', source: 'd' }] },
      { kind: 'html', html: '<div class="docs-note"><p>n</p>\n</div>' },
      { kind: 'text', source: '<out>' },
      { kind: 'try', operationId: 'getNotes' },
      { kind: 'html', html: expect.stringMatching(/^<ol class="docs-list"><li>one<ul class="docs-list">/) },
    ])
  })

  test('behavior: each cell of a table has the name of its column, for narrow screens', () => {
    const [table] = render('| a `b` | "c" |\n| --- | --- |\n| 1 \\| 2 | `3` |')
    expect(table).toEqual({
      kind: 'html',
      html:
        '<table class="docs-table full"><caption class="sr-only">T &amp; U</caption><thead><tr><th scope="col">a <code>b</code></th>' +
        '<th scope="col">&quot;c&quot;</th></tr></thead><tbody><tr><td data-label="a b"><div>1 | 2</div></td>' +
        '<td data-label="&quot;c&quot;"><div><code>3</code></div></td></tr></tbody></table>',
    })
  })

  test.each([
    '<img src=x onerror=alert(1)>',
    'a <script>alert(1)</script> b',
    '[a](javascript:alert(1))',
    '[a](data:text/html,x)',
    '[a](//elsewhere.example)',
    '![a" onerror="alert(1)](x)',
    '## <b onclick=alert(1)>',
    '| <i onclick=x> |\n| --- |\n| <i onclick=x> |',
    '[a](/docs"onmouseover="alert(1))',
    '```<b>\n<i>\n```',
    '    <b>',
  ])('error: %j makes no element, no attribute and no link', (markdown) => {
    const html = render(markdown)
      .map((part) => (part.kind === 'html' ? part.html : ''))
      .join('')
    const tags = [...(html + renderInline(markdown)).matchAll(/<\/?([a-z0-9]+)((?: [a-z-]+="[^"]*")*)>/g)]
    const rest = tags.reduce((text, [tag]) => text.replace(tag, ''), html + renderInline(markdown))
    expect(rest).not.toMatch(/[<>]/)
    for (const [, name, attributes] of tags) {
      expect(name).toMatch(/^(p|h2|a|table|caption|thead|tbody|tr|th|td|div|pre|code)$/)
      expect(attributes).not.toMatch(/ on\w+=| src=|javascript:|data:text|href="\/\//)
    }
  })

  test('behavior: ids of headings are those of GitHub', () => {
    expect(slug('A <b> / C')).toBe('a-b--c')
    expect(slug('4. Claim: `POST /data`')).toBe('4-claim-post-data')
    expect(render('')).toEqual([])
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
    const fill = (source: string, language: string, apiKey?: string) =>
      fillSample({ language, source }, { ...service, apiKey }).source
    expect(fill(ts, 'ts', key)).toBe(`f('https://notes.example', '${key}', \`https://notes.example/log\`)`)
    expect(fill(ts, 'ts')).toContain("process.env['TALLYSTICK_KEY']")
    expect(fill('import os\nos.environ["TALLYSTICK_URL"] + os.environ["TALLYSTICK_KEY"]', 'python', key)).toBe(
      `"https://notes.example" + "${key}"`,
    )
    expect(fill('import os\nos.environ["TALLYSTICK_KEY"]', 'python')).toContain('import os')
    const go = 'import (\n\t"os"\n)\nos.Getenv("TALLYSTICK_URL") + os.Getenv("TALLYSTICK_KEY")'
    expect(fill(go, 'go', key)).toBe(`import (\n)\n"https://notes.example" + "${key}"`)
    expect(fill(go, 'go')).toContain('"os"')
    expect(fill('{ "a": 1 }', 'json')).toBe('{ "a": 1 }')
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
    const samples: readonly [string, string][] = [
      ["curl 'a' -H \"b: $C\" # d\n'unclosed", 'sh'],
      ['const a = `b $' + '{c}` // d "e"\nconst f = 10n ** 18n', 'ts'],
      ['f"{a[1]}" # c\nNone', 'python'],
      ['x := `a` // "b"\nreturn nil', 'go'],
      ['no "colours"', 'unknown'],
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
