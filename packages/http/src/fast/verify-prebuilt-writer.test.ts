import { expect, test } from 'vitest'
import { type PrebuiltWriter, prebuiltWriter } from '../head.ts'
import { verifyPrebuiltWriter } from './verify-prebuilt-writer.ts'

test('default: on this Node version prebuilt responses equal those of writeHead and end', async () => {
  expect(await verifyPrebuiltWriter(prebuiltWriter)).toBeUndefined()
})

const faults: readonly (readonly [string, Partial<PrebuiltWriter>, RegExp])[] = [
  [
    'another byte in the head',
    {
      send: (response, { before, after }, lines) =>
        prebuiltWriter.send(response, { before, after: ` ${after}` }, lines),
    },
    /^the bytes of status 200 differ$/,
  ],
  [
    'a body with a 304',
    {
      build: (response, { lines }) =>
        prebuiltWriter.build(response, {
          lines,
          body: response.statusCode === 304 ? 'x' : '{"text":"\u00c3\u00a9"}',
        }),
    },
    /^the bytes of status 304 differ$/,
  ],
  ['a response without the head', { build: () => undefined }, /has no head from writeHead/],
  [
    'a writer that throws',
    {
      send: () => {
        throw new TypeError('no such member')
      },
    },
    /^no such member$/,
  ],
  ['a writer that destroys the connection', { send: (response) => response.destroy(new Error('destroyed')) }, /./],
]

test.for(faults)('error: finds %s', async ([, fault, problem]) => {
  expect(await verifyPrebuiltWriter({ ...prebuiltWriter, ...fault })).toMatch(problem)
})

test('error: finds a writer that sends nothing', async () => {
  const writer: PrebuiltWriter = { ...prebuiltWriter, send: () => undefined }
  expect(await verifyPrebuiltWriter(writer, 20)).toBe('no complete response within 20 ms')
})
