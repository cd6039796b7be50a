import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

// Baseline server: only sends the same bytes. Arguments: body, a JSON file with the headers, names and values alternating,
// and certificate and key. Without these it serves plain HTTP.
const [, , body = '', head = '', cert, key] = process.argv
const bytes = readFileSync(body)
const headers = JSON.parse(readFileSync(head, 'utf8'))
const respond = (_, response) => {
  response.writeHead(200, headers).end(bytes)
}
const server =
  cert && key ? createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, respond) : createServer(respond)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
