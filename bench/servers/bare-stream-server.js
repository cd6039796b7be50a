import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

// Baseline server: keeps every response open and writes the same bytes to all of them at an instant. Arguments:
// certificate, key, a file with the greeting, a file with the event, and the delay from the ready line to the event in
// milliseconds. Prints the instant of the event.
const [, , cert = '', key = '', greeting = '', event = '', delayMs = ''] = process.argv
const [first, bytes] = [readFileSync(greeting), readFileSync(event)]
const responses = new Set()
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' }).write(first)
  responses.add(response)
})
server.listen(0, '127.0.0.1', () => {
  const atMs = Date.now() + Number(delayMs)
  setTimeout(() => {
    for (const response of responses) response.write(bytes)
  }, Number(delayMs))
  process.stdout.write(`at ${atMs}\nready ${server.address().port}\n`)
})
