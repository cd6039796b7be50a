import type { RequestListener } from 'node:http'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { measureAtRate, measureLoad } from '../load.ts'

const authority = createCertificateAuthority()
const certificate = authority.issue(['localhost'])

async function serve(answer: RequestListener) {
  const server = await startLocalServer(answer, { tls: certificate })
  onTestFinished(server.stop)
  return { port: server.port, ca: authority.cert, connections: 4 }
}

const request = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'

test('default: counts responses that arrive in several chunks', async () => {
  let served = 0
  const target = await serve((_, response) => {
    served += 1
    response.writeHead(200, { 'content-length': 200_000 })
    response.write('x'.repeat(100_000))
    setImmediate(() => response.end('x'.repeat(100_000)))
  })
  const { rate, p50Ms, p99Ms } = await measureLoad({ ...target, request, seconds: 0.2 })
  expect(served).toBeGreaterThanOrEqual(4)
  // The measured time ends with the last response, so it is at least the requested time.
  expect(rate).toBeLessThanOrEqual(served / 0.2)
  expect(p50Ms).toBeGreaterThan(0)
  expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
})

test('behavior: counts responses without a body', async () => {
  const target = await serve((_, response) => response.writeHead(304).end())
  expect((await measureLoad({ ...target, request, seconds: 0.05 })).rate).toBeGreaterThan(0)
})

test('behavior: sends the due number of requests at a fixed rate, each with its own text', async () => {
  const paths = new Set<string | undefined>()
  const target = await serve(({ url }, response) => {
    paths.add(url)
    response.writeHead(204).end()
  })
  const numbered = (index: number) => `GET /${index} HTTP/1.1\r\nhost: localhost\r\n\r\n`
  await measureAtRate({ ...target, request: numbered, seconds: 0.5, rate: 100 })
  expect(paths).toEqual(new Set(Array.from({ length: 50 }, (_, index) => `/${index}`)))
})

test('behavior: measures from the due time, so a request behind a slow response is slow too', async () => {
  const target = await serve((_, response) => void setTimeout(() => response.writeHead(204).end(), 50))
  // 40 per second on a connection that handles 20: the last request waits for half of the others.
  const { p99Ms } = await measureAtRate({ ...target, connections: 1, request, seconds: 0.5, rate: 40 })
  expect(p99Ms).toBeGreaterThan(250)
})

test('error: an unsuccessful response ends the measurement', async () => {
  const target = await serve((_, response) => response.writeHead(429, { 'content-length': 4 }).end('full'))
  await expect(measureLoad({ ...target, request, seconds: 5 })).rejects.toThrow('429')
  await expect(measureAtRate({ ...target, request, seconds: 5, rate: 10 })).rejects.toThrow('429')
})
