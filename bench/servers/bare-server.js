import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

// Baseline server: only sends the same bytes over the same TLS. Arguments: certificate, key, body, and a JSON file with the
// headers, names and values alternating.
const [, , cert = '', key = '', body = '', head = ''] = process.argv
const bytes = readFileSync(body)
const headers = JSON.parse(readFileSync(head, 'utf8'))
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
  response.writeHead(200, headers).end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
