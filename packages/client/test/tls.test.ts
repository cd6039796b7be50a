import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority, type PemPair } from '@tallystick/workbench/certificate-authority'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../src/create-client.ts'
import { TlsError } from '../src/errors.ts'
import { failedRequest } from '../src/http/request-errors.ts'
import { failureOf } from './failure-of.ts'
import { apiKey } from './fake-api.ts'

const authority = createCertificateAuthority()
const servers: Server[] = []
let connections = 0
let requests = 0

async function serve(pair: PemPair): Promise<string> {
  const server = createServer(pair, (_, response) => {
    requests++
    response.end('{}')
  })
  server.on('connection', () => connections++)
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

let selfSigned: string
let unknownAuthority: string
beforeAll(async () => {
  selfSigned = await serve(authority.issue(['localhost'], { isSelfSigned: true }))
  unknownAuthority = await serve(authority.issue(['localhost']))
})
afterAll(() => {
  for (const server of servers) server.close()
})

test.each([
  ['a self-signed certificate', () => selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['an unknown authority', () => unknownAuthority, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('error: %s is named at once, with the command, and nothing is sent', async (_, urlOf, reason) => {
  connections = 0
  const error = await failureOf(createClient({ baseUrl: urlOf(), apiKey }).notes())
  expect(error).toBeInstanceOf(TlsError)
  expect(error).toMatchObject({ code: 'tls_check_failed', retryable: false, details: { reason } })
  expect((error as Error).message).toContain('NODE_EXTRA_CA_CERTS=.tallystick/tls/ca.pem node <program>')
  expect((error as Error).message).not.toContain(apiKey)
  expect({ connections, requests }).toEqual({ connections: 1, requests: 0 })
})

test('error: a watch that has had no notes reports it and ends', async () => {
  const client = createClient({ baseUrl: selfSigned, apiKey })
  const state = await new Promise((resolve) => {
    const stop = client.watchNotes((next) => {
      stop()
      resolve(next)
    })
  })
  expect(state).toMatchObject({ status: 'failing', error: { code: 'tls_check_failed' }, retryAt: undefined })
})

test.each([
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['CERT_REVOKED', 'is not acceptable'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS=<authority.pem> node <program>'],
])('behavior: %s of a public host', (code, text) => {
  const cause = { message: 'fetch failed', cause: { code } }
  const connection = { baseUrl: 'https://notes.example', urlOption: 'baseUrl', endpoint: 'GET /notes' } as const
  expect(failedRequest({ ...connection, cause }).message).toContain(text)
  const circular: { cause?: unknown } = {}
  circular.cause = circular
  expect(failedRequest({ ...connection, cause: circular }).code).toBe('connection_failed')
})
