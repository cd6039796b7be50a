import { expect, test } from 'vitest'
import { type PremadeWriter, premadeWriter } from './premade-answer.ts'
import { verifyPremadeWriter } from './verify-premade-writer.ts'

test('default: on this Node version premade responses equal those of writeHead and end', async () => {
  expect(await verifyPremadeWriter(premadeWriter)).toBeUndefined()
})

const faults: readonly (readonly [string, Partial<PremadeWriter>, RegExp])[] = [
  [
    'another byte in the head',
    {
      send: (response, { before, after }, changing) =>
        premadeWriter.send(response, { before, after: ` ${after}` }, changing),
    },
    /^the bytes of status 200 differ$/,
  ],
  [
    'a body with a 304',
    {
      premake: (response, { changing }) =>
        premadeWriter.premake(response, {
          changing,
          body: response.statusCode === 304 ? 'x' : '{"text":"\u00c3\u00a9"}',
        }),
    },
    /^the bytes of status 304 differ$/,
  ],
  ['a response without the head', { premake: () => undefined }, /has no head from writeHead/],
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
  expect(await verifyPremadeWriter({ ...premadeWriter, ...fault })).toMatch(problem)
})

test('error: finds a writer that sends nothing', async () => {
  const writer: PremadeWriter = { ...premadeWriter, send: () => undefined }
  expect(await verifyPremadeWriter(writer, 20)).toBe('no complete response within 20 ms')
})
