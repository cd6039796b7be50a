import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { createCertificateAuthority, type PemPair } from '../src/certificate-authority.ts'

const authority = createCertificateAuthority()
const server = authority.issue(['localhost', 'api.tallystick.test', '127.0.0.1'])

/** One handshake over loopback; resolves with what the client thinks of the server. */
async function shakeHands(pair: PemPair, { ca, servername }: { ca: string; servername: string }): Promise<TLSSocket> {
  const listener = createServer({ cert: pair.cert, key: pair.key }, (socket) => socket.end())
  listener.on('tlsClientError', () => undefined)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const host = '127.0.0.1'
  const client = connect({ host, port, ca, ...(servername !== host && { servername }) })
  try {
    await once(client, 'secureConnect')
    return client
  } finally {
    client.destroy()
    listener.close()
    await once(listener, 'close')
  }
}

test.each(['localhost', 'api.tallystick.test', '127.0.0.1'])(
  'default: a client that trusts it connects to %s',
  async (servername) => {
    expect((await shakeHands(server, { ca: authority.cert, servername })).authorized).toBe(true)
  },
)

test('error: a client rejects another name', async () => {
  await expect(shakeHands(server, { ca: authority.cert, servername: 'example.com' })).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
})

test('error: a client that trusts another authority rejects it', async () => {
  const { cert } = createCertificateAuthority()
  await expect(shakeHands(server, { ca: cert, servername: 'localhost' })).rejects.toMatchObject({
    code: expect.stringMatching(/UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT_LOCALLY)|SELF_SIGNED/),
  })
})

test('error: a client rejects an expired certificate', async () => {
  const old = createCertificateAuthority(new Date(Date.now() - 801 * 86_400_000))
  await expect(shakeHands(old.issue(['localhost']), { ca: old.cert, servername: 'localhost' })).rejects.toMatchObject({
    code: 'CERT_HAS_EXPIRED',
  })
})
