import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { expect, onTestFinished, test } from 'vitest'
import { allowLongResponse } from '../src/response/long-response.ts'
import { createTlsServer } from '../src/tls/tls-server.ts'

test('default: an HTTP/2 response that may take long outlives the time limit of the others', async () => {
  const authority = createCertificateAuthority()
  const { cert, key } = authority.issue(['localhost'])
  const { server, destroyConnections } = createTlsServer({
    cert,
    key,
    answerPlain: () => '',
    timeouts: { request: 200 },
  })
  server.on('request', (request, response) => {
    if (request.url === '/long') allowLongResponse(response)
    response.writeHead(200).write('first')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    destroyConnections()
    server.close()
  })
  const session = connect(`https://localhost:${(server.address() as AddressInfo).port}`, { ca: authority.cert })
  onTestFinished(() => session.destroy())
  const open = async (path: string) => {
    const stream = session.request({ ':path': path })
    stream.on('error', () => undefined)
    await once(stream, 'data')
    return stream
  }
  // Opened first, so its limit would end first.
  const long = await open('/long')
  const other = await open('/other')
  await once(other, 'close')
  expect(long.closed).toBe(false)
})

test('behavior: over HTTP/1.1, bytes leave at once, and not at the end of the turn', async () => {
  const sent: (number | undefined)[] = []
  const server = createServer((_request, response) => {
    response.removeHeader('transfer-encoding')
    response.writeHead(200, { connection: 'close' }).flushHeaders()
    const output = allowLongResponse(response)
    const before = response.socket?.bytesWritten ?? 0
    output.write('first')
    sent.push(response.socket?.writableLength, (response.socket?.bytesWritten ?? 0) - before)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const [response] = await once(get({ port: (server.address() as AddressInfo).port }), 'response')
  expect((await response.toArray()).join('')).toBe('first')
  expect(sent).toEqual([0, 5])
})
