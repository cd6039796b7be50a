import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { formatCurl } from '../src/docs/requests/format-request.ts'
import { type Draft, formRequest } from '../src/explorer/draft.ts'
import { formatSdkCode } from '../src/explorer/format-code.ts'

const origin = 'https://notes.example'
const key = 'tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ'
// biome-ignore lint/suspicious/noTemplateCurlyInString: the text must not be evaluated.
const nasty = '{ a(b: "it\'s `x` ${y} \\\\ \\u0041 $HOME $(id) !! \u2028 é\r\n") }\r'
const hostile: Draft = {
  query: nasty,
  variables: JSON.stringify({ text: nasty, ["'; rm -rf / #"]: 1 }).replace('{', '{"__proto__":{"admin":true},'),
  chains: [324, 8453],
}

function requestOf(draft: Draft) {
  const { request } = { request: undefined, ...formRequest(draft) }
  if (!request) throw new Error('The draft is faulty.')
  return request
}

/** Runs a command in a shell with a `curl` that only prints its arguments. */
function runCurl(command: string): readonly string[] {
  const script = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n${command}`
  const env = { TALLYSTICK_KEY: key, PATH: process.env['PATH'] ?? '' }
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1)
}

/** Runs code with a client that only returns what it was given. */
async function runCode(code: string): Promise<Readonly<Record<string, unknown>>> {
  const plain = code.slice(code.indexOf('\n'))
  const seen: Record<string, unknown> = {}
  const createClient = (options: object) => {
    Object.assign(seen, options)
    const data = async (request: object) => {
      Object.assign(seen, request)
      return []
    }
    return { data }
  }
  const body = `return (async () => {${plain}})()`
  await new Function('createClient', 'process', body)(createClient, { env: { TALLYSTICK_KEY: key } })
  return seen
}

test('behavior: an integer above 2^53 is exact in the command, and a string in the code, which numbers would round', async () => {
  const draft: Draft = { query: '{ pools { id } }', variables: '{"wei":9007199254740993,"days":7}', chains: [324] }
  expect(runCurl(formatCurl(requestOf(draft), { baseUrl: origin }).source).at(-1)).toContain('"wei":9007199254740993,')
  const { variables } = await runCode(formatSdkCode(draft, { baseUrl: origin }))
  expect(variables).toEqual({ wei: '9007199254740993', days: 7 })
})

test('default: the curl command reads the key from the environment', () => {
  const request = requestOf({ query: '{ pools { id } }', variables: '', chains: [324] })
  const command = formatCurl(request, { baseUrl: origin }).source
  expect(command).toMatchInlineSnapshot(`
    "curl 'https://notes.example/data' \\
      -H "x-api-key: $TALLYSTICK_KEY" \\
      -H 'accept: application/json' \\
      -H 'content-type: application/json' \\
      -d '{"query":"{ pools { id } }","variables":{"chains":[324]}}'"
  `)
  expect(formatCurl(request, { baseUrl: origin, apiKey: key, caCert: "/home/o'b/ca.pem" }).source).toContain(
    `--cacert '/home/o'\\''b/ca.pem' \\\n  -H 'x-api-key: ${key}'`,
  )
})

test('behavior: a shell passes hostile texts to curl unchanged, and runs none of them', () => {
  const request = requestOf(hostile)
  const given = runCurl(formatCurl(request, { baseUrl: origin }).source)
  expect(given.slice(0, 3)).toEqual([`${origin}/data`, '-H', `x-api-key: ${key}`])
  expect(given.at(-1)).toBe(request.body)
})

test('behavior: the SDK code passes hostile texts unchanged', async () => {
  const code = formatSdkCode({ ...hostile, operationName: 'A' }, { baseUrl: origin })
  expect(code).not.toContain(key)
  const { query, variables, chains, baseUrl, apiKey, operationName } = await runCode(code)
  expect({ query, chains, baseUrl, apiKey, operationName }).toEqual({
    query: nasty,
    chains: [324, 8453],
    baseUrl: origin,
    apiKey: key,
    operationName: 'A',
  })
  expect(JSON.stringify(variables)).toBe(JSON.stringify(JSON.parse(hostile.variables)))
})

test('behavior: the key is in the SDK code if the visitor chose that', async () => {
  const code = formatSdkCode({ query: '{ a }', variables: '', chains: [1] }, { baseUrl: origin, apiKey: key })
  expect((await runCode(code))['apiKey']).toBe(key)
  expect(code).not.toContain('variables')
})
