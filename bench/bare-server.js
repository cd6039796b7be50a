import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

// The baseline: the same bytes over the same TLS, and nothing else. Arguments: certificate, key, body, and the headers to
// send as JSON, names and values in turns.
const [, , cert = '', key = '', body = '', head = ''] = process.argv
const bytes = readFileSync(body)
const headers = JSON.parse(readFileSync(head, 'utf8'))
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
  response.writeHead(200, headers).end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
