import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'

// That of the gateway, in the same version.
const { Pool } = createRequire(new URL('../../packages/gateway/package.json', import.meta.url))('undici')

// Baseline server: passes each request on over kept connections and each response back, over the same TLS on both sides.
// Arguments: certificate, key, certificate authority, origin and path of the upstream.
const [, , cert = '', key = '', ca = '', origin = '', path = ''] = process.argv
const pool = new Pool(origin, { connect: { ca: readFileSync(ca) }, headersTimeout: 0, bodyTimeout: 0 })
const headers = { 'content-type': 'application/json' }
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const parts = []
    pool.dispatch(
      { path, method: 'POST', headers, body: Buffer.concat(chunks) },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => response.writeHead(status, headers),
        onResponseData: (_, chunk) => parts.push(chunk),
        onResponseEnd: () => response.end(Buffer.concat(parts)),
        onResponseError: (_, error) => response.destroy(error),
      },
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
