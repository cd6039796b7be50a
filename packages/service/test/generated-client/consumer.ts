// What an integrator writes around types generated from /openapi.json. Compiled and run by generated-client.test.ts, beside
// the generated file; it is excluded from the workspace's own compilation, where that file does not exist.
import type { components, paths } from './generated.ts'

type Method = 'get' | 'post'
type PathOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths]
type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never
type Responses<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R } ? R : never
type Query<P extends keyof paths, M extends Method> = paths[P][M] extends { parameters: { query?: infer Q } }
  ? Q
  : never
type Body<P extends keyof paths, M extends Method> = paths[P][M] extends { requestBody: infer B } ? Json<B> : never

type Outcome<P extends keyof paths, M extends Method> =
  | { readonly ok: true; readonly data: Json<Responses<P, M>[200 & keyof Responses<P, M>]> }
  | { readonly ok: false; readonly status: number; readonly error: components['schemas']['Error'] }

const { TALLYSTICK_URL = '', TALLYSTICK_KEY = '' } = process.env

async function request<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  { query, body, key = TALLYSTICK_KEY }: { query?: Query<P, M>; body?: Body<P, M>; key?: string } = {},
): Promise<Outcome<P, M>> {
  const url = new URL(path, TALLYSTICK_URL)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
  const answer = await fetch(url, {
    method: method.toUpperCase(),
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const json = await answer.json()
  return answer.ok ? { ok: true, data: json } : { ok: false, status: answer.status, error: json }
}

function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

const notes = await request('get', '/notes', { query: { chainid: 324, maturity: '7,14' } })
assert(notes.ok, 'notes')
for (const note of notes.data.data) {
  const recovery: 27 | 28 = note.signature.v
  assert(/^\d+$/.test(note.coupon) && recovery > 0 && note.chainid === '324', 'a note')
}
const tenors: number[] | undefined = notes.data.availableMaturities
assert(tenors?.join() === '7,14,30', 'tenors')

const rate = await request('get', '/rate')
assert(rate.ok, 'rate')
const { fixedRate, chains } = rate.data
const status: 'open' | 'paused' | 'rejecting' | 'unknown' | undefined = chains[0]?.status
assert(fixedRate === '369' && status === 'unknown', 'rates')

const data = await request('post', '/data', {
  body: { query: '{ pools { id } }', variables: { chains: [324], anything: true } },
})
assert(data.ok, 'data')
assert(data.data[0]?.chain === 324 && Array.isArray(data.data[0].data?.['pools']), 'the chain’s data')

const refused = await request('get', '/notes', { key: 'wrong' })
assert(!refused.ok && refused.status === 403, 'a refusal')
const code: 'invalid_api_key' = refused.error.code === 'invalid_api_key' ? refused.error.code : fail()

// @ts-expect-error: the service has no such chain
await request('get', '/notes', { query: { chainid: 325 } }).then((wrong) => assert(!wrong.ok, 'another chain'))
// @ts-expect-error: there is no such parameter
await request('get', '/rate', { query: { chainId: 324 } }).then((wrong) => assert(!wrong.ok, 'another parameter'))
// @ts-expect-error: `chains` is missing
await request('post', '/data', { body: { query: '', variables: {} } }).then((wrong) => assert(!wrong.ok, 'no chains'))
// @ts-expect-error: there is no such endpoint
await request('get', '/nothing').then((wrong) => assert(!wrong.ok, 'nothing'))

function fail(): never {
  throw new Error('another code')
}

process.stdout.write(`${notes.data.data.length} notes, ${code}\n`)
