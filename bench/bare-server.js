import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

// The baseline: the same bytes over the same TLS, and nothing else. Arguments: certificate, key, body, status.
const [, , cert = '', key = '', body = '', status = '200'] = process.argv
const bytes = readFileSync(body)
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length }
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
  if (status === '304') response.writeHead(304).end()
  else response.writeHead(200, headers).end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
