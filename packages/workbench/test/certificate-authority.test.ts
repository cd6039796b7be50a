import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createCertificateAuthority } from '../src/certificate-authority.ts'

const host = '127.0.0.1'
const authority = createCertificateAuthority()
const server = authority.issue(['localhost', 'api.tallystick.test', '127.0.0.1'])

test.each(['localhost', 'api.tallystick.test', '127.0.0.1'])(
  'default: a client that trusts it connects to %s',
  async (servername) => {
    const listener = createServer(server, (socket) => socket.end()).listen(0, host)
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const client = connect({ host, port, ca: authority.cert, ...(servername !== host && { servername }) })
    onTestFinished(() => {
      client.destroy()
      listener.close()
    })
    await once(client, 'secureConnect')
    expect(client.authorized).toBe(true)
  },
)
