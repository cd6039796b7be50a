import type { OpenapiParameter } from '@tallystick/core'
import type { Endpoint } from '../openapi/openapi.ts'

/** Input of the form of an endpoint. */
export type RequestInput = {
  /** Values of the parameters by name. An empty one is not sent. */
  readonly values: Readonly<Record<string, string>>
  /** JSON text, or empty. */
  readonly body: string
}

/** Request to this service, without its key. */
export type ApiRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string | undefined
  readonly needsKey: boolean
  readonly isStream: boolean
  /** Whether a successful response is JSON. */
  readonly isJson: boolean
}

/** Reads the input of the documented example, which is the endpoint's curl sample. */
export function readExample({ path, operation }: Endpoint): RequestInput {
  const source = operation['x-codeSamples'].find(({ lang }) => lang === 'Shell')?.source ?? ''
  const [, target = path] = /"\$TALLYSTICK_URL([^"]*)"/.exec(source) ?? []
  const [pathname = '', search] = target.split('?')
  const query = new URLSearchParams(search)
  for (const [, name = '', value = ''] of source.matchAll(/--data-urlencode '(\w+)=([^']*)'/g)) query.set(name, value)
  const headers = [...source.matchAll(/-H '([\w-]+): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value])
  const [, body = ''] = /-d '([^']*)'/.exec(source) ?? []
  return {
    values: Object.fromEntries([...query, ...headers, ...readPathValues(path, pathname)]),
    body: body && JSON.stringify(JSON.parse(body), undefined, 2),
  }
}

/** Builds the request of an endpoint. */
export function buildRequest({ method, path, operation }: Endpoint, { values, body }: RequestInput): ApiRequest {
  const given = (place: OpenapiParameter['in']) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === place && (values[parameter.name] ?? '') !== '')
      .map(({ name }) => [name, values[name] as string] as const)
  const query = given('query').map(([name, value]) => `${name}=${encode(value, ',')}`)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? '', '/'))
  const hasBody = operation.requestBody !== undefined
  const types = Object.keys(operation.responses['200']?.content ?? {})
  return {
    method,
    path: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    headers: [...given('header'), ...(hasBody ? [['content-type', 'application/json'] as const] : [])],
    body: hasBody ? body : undefined,
    needsKey: operation.security.length > 0,
    isStream: types.includes('text/event-stream'),
    isJson: types[0] === 'application/json' && !/csv|calendar/.test(values['Accept'] ?? values['accept'] ?? ''),
  }
}

function readPathValues(path: string, pathname: string): readonly (readonly [string, string])[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '(.+)')}$`)
  const found = pattern.exec(pathname) ?? []
  return names.map((name, index) => [name, found[index + 1] ?? ''])
}

/** Encodes a value for a URL, except for a character that the URL may contain there. */
function encode(value: string, allowed: ',' | '/'): string {
  return encodeURIComponent(value).replaceAll(encodeURIComponent(allowed), allowed)
}
