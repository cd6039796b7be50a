import { readFileSync } from 'node:fs'
import { connect, createSecureContext } from 'node:tls'

// Opens streams and prints when all have their greeting, and whenever each has received an event. Arguments: port, CA
// certificate, number of streams, path, API key, and the text at the end of the event.
const [, , port = '', ca = '', count = '', path = '', key = '', endText = ''] = process.argv
const secureContext = createSecureContext({ ca: readFileSync(ca) })
const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\naccept: text/event-stream\r\n\r\n`
const streams = Number(count)
const atOnce = 32
const idOfGreeting = Buffer.from('\nid: ')
const end = Buffer.from(endText)
let [started, greeted, received] = [0, 0, 0]
let firstAtMs = 0
const fail = (error) => {
  process.stderr.write(`${error}\n`)
  process.exit(1)
}
// All sockets read into one buffer, without a stream: the clients share the processors with the server. A read is one TLS
// record, and an event is in one.
const buffer = Buffer.alloc(64 * 1024)

function open() {
  if (started >= streams) return
  started++
  let read = (chunk) => {
    if (!chunk.includes(idOfGreeting)) return
    read = readEvent
    greeted++
    open()
    if (greeted === streams) process.stdout.write('open\n')
  }
  const callback = (length) => {
    read(buffer.subarray(0, length))
    return true
  }
  const onread = { buffer, callback }
  const socket = connect({ port: Number(port), host: '127.0.0.1', secureContext, onread })
  socket.on('error', fail)
  socket.on('close', () => fail('a stream was closed'))
  socket.once('secureConnect', () => socket.write(request))
}

function readEvent(chunk) {
  if (!chunk.includes(end)) return
  if (received++ === 0) firstAtMs = Date.now()
  if (received < streams) return
  process.stdout.write(`received ${firstAtMs} ${Date.now()}\n`)
  received = 0
}
for (let index = 0; index < atOnce; index++) open()
