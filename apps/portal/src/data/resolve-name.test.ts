import { expect, onTestFinished, test, vi } from 'vitest'
import { resolveName } from './resolve-name.ts'

const address = '0x1111111111111111111111111111111111111111'

function resolveWith(answer: () => Promise<Response>) {
  vi.stubGlobal('fetch', answer)
  onTestFinished(() => void vi.unstubAllGlobals())
  return resolveName('a.eth', new AbortController().signal)
}

test('default: the address, or the service’s word that there is none', async () => {
  expect(await resolveWith(async () => Response.json({ address }))).toEqual({ address })
  const message = 'a.eth has no address.'
  expect(await resolveWith(async () => Response.json({ message }, { status: 404 }))).toEqual({ problem: message })
})

test.each([
  ['no response', () => Promise.reject(new TypeError('fetch failed')), 'connection_failed'],
  ['a failed RPC', async () => Response.json({ message: 'The RPC failed.' }, { status: 503 }), 'http_error'],
  ['a limit', async () => Response.json({}, { status: 429 }), 'http_error'],
  ['a page of a proxy', async () => new Response('<html>', { status: 200 }), 'http_error'],
] as const)('error: %s says nothing about the name', async (_, answer, code) => {
  await expect(resolveWith(answer)).rejects.toMatchObject({ code, retryable: true })
})
