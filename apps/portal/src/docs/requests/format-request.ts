import { quoteLargeIntegers, reformatIfJson, reformatJson } from '../../json/reformat-json.ts'
import type { Sample } from '../text/part.ts'
import type { ApiRequest } from './request.ts'

/** Values of this service and this visitor in an example. */
export type SampleContext = {
  readonly baseUrl: string
  /** Key of the visitor, or a mask of it. Without one the example reads it from the environment. */
  readonly apiKey?: string | undefined
  /** File of the certificate authority that curl must trust. Only in a sandbox. */
  readonly caCert?: string | undefined
}

/** Formats a request as a curl command. */
export function formatCurl(request: ApiRequest, { baseUrl, apiKey, caCert }: SampleContext): Sample {
  const key = apiKey === undefined ? '-H "x-api-key: $TALLYSTICK_KEY"' : `-H ${quoteShell(`x-api-key: ${apiKey}`)}`
  const parts = [
    `curl ${request.isStream ? '-N --max-time 5 ' : ''}${quoteShell(baseUrl + request.path)}`,
    ...(caCert === undefined ? [] : [`--cacert ${quoteShell(caCert)}`]),
    ...(request.needsKey ? [key] : []),
    ...request.headers.map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(request.body === undefined ? [] : [`-d ${quoteShell(reformatIfJson(request.body))}`]),
  ]
  return { language: 'sh', source: parts.join(' \\\n  ') }
}

/** Formats a request as a Python 3 program that needs only the standard library. */
export function formatPython(request: ApiRequest, { baseUrl, apiKey }: SampleContext): Sample {
  const readsKey = request.needsKey && apiKey === undefined
  const key = readsKey ? 'os.environ["TALLYSTICK_KEY"]' : JSON.stringify(apiKey ?? '')
  const headers = [
    ...(request.needsKey ? [`"x-api-key": ${key}`] : []),
    ...request.headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  const usesJson = request.isJson || request.body !== undefined
  const lines = [
    ...(usesJson ? ['import json'] : []),
    ...(readsKey ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(request.body === undefined ? [] : [`body = ${toPython(request.body)}`]),
    'request = Request(',
    `    ${JSON.stringify(baseUrl + request.path)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(request.body === undefined ? [] : ['    data=json.dumps(body).encode(),']),
    ')',
    ...readPython(request),
  ]
  return { language: 'python', source: lines.join('\n') }
}

/** Formats a request for `fetch`, for endpoints that the SDK has no method for. */
export function formatFetch(request: ApiRequest, { baseUrl, apiKey }: SampleContext): Sample {
  const key = apiKey === undefined ? "process.env['TALLYSTICK_KEY'] ?? ''" : quoteCode(apiKey)
  const headers = [
    ...(request.needsKey ? [`'x-api-key': ${key}`] : []),
    ...request.headers.map(([name, value]) => `${quoteCode(name)}: ${quoteCode(value)}`),
  ]
  const options = [
    ...(request.method === 'GET' ? [] : [`  method: '${request.method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(request.body === undefined ? [] : [`  body: JSON.stringify(${compactCode(request.body)}),`]),
  ]
  const url = quoteCode(baseUrl + request.path)
  const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n${options.join('\n')}\n})`
  const read = request.isJson ? 'json' : 'text'
  const source = `const response = await ${call}\nconsole.log(response.status, await response.${read}())`
  return { language: 'ts', source }
}

function readPython({ isStream, isJson }: ApiRequest): readonly string[] {
  if (isStream) {
    // The service sends a comment every 15 seconds. A client connects again after 45 seconds of silence.
    return [
      'with urlopen(request, timeout=45) as response:',
      '    for line in response:',
      '        print(line.decode(), end="")',
    ]
  }
  const read = isJson ? 'print(json.load(response))' : 'print(response.read().decode("utf-8", "replace"))'
  return ['with urlopen(request, timeout=30) as response:', `    ${read}`]
}

/** Quotes a text for a POSIX shell. */
function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Quotes a text for TypeScript. */
export function quoteCode(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`
}

/** Writes a JSON text as code. A number would round an integer above 2^53: it becomes a string, which the service accepts. */
function compactCode(body: string): string {
  try {
    return reformatJson(quoteLargeIntegers(body), '  ').replaceAll('\n', '\n  ')
  } catch {
    return quoteCode(body)
  }
}

/** Writes a JSON text as a Python value. A text that is not JSON becomes a string. */
function toPython(body: string): string {
  try {
    return formatValue(JSON.parse(quoteLargeIntegers(body)), '')
  } catch {
    return JSON.stringify(body)
  }
}

function formatValue(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  const inner = `${indent}    `
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item, inner)).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, item]) => `${inner}${JSON.stringify(name)}: ${formatValue(item, inner)},`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`
}
