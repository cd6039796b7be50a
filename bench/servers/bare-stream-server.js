import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

// Baseline server: keeps every response open and writes the same bytes to all of them at each SIGHUP. Arguments:
// certificate, key, a file with the greeting, and a file with the event. Prints the instant of each event.
const [, , cert = '', key = '', greeting = '', event = ''] = process.argv
const [first, bytes] = [readFileSync(greeting), readFileSync(event)]
const responses = new Set()
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' }).write(first)
  responses.add(response)
})
process.on('SIGHUP', () => {
  process.stdout.write(`at ${Date.now()}\n`)
  for (const response of responses) response.write(bytes)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready ${server.address().port}\n`))
