import { readFileSync } from 'node:fs'
import { connect, createSecureContext } from 'node:tls'

// Opens streams and prints when all have their greeting, and when each has received an event. Arguments: port, CA
// certificate, number of streams, path, API key, and the text at the end of the event.
const [, , port = '', ca = '', count = '', path = '', key = '', end = ''] = process.argv
const secureContext = createSecureContext({ ca: readFileSync(ca) })
const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\naccept: text/event-stream\r\n\r\n`
const streams = Number(count)
const atOnce = 32
let [started, greeted, received] = [0, 0, 0]
let firstAtMs
const fail = (error) => {
  process.stderr.write(`${error}\n`)
  process.exit(1)
}

function open() {
  if (started >= streams) return
  started++
  const socket = connect({ port: Number(port), host: '127.0.0.1', secureContext })
  socket.on('error', fail)
  socket.on('close', () => fail('a stream was closed'))
  socket.once('secureConnect', () => socket.write(request))
  let isGreeted = false
  let tail = ''
  socket.on('data', (chunk) => {
    const text = tail + chunk.toString('latin1')
    // The end of the event may be split. The heads of responses are short.
    tail = text.slice(-1_000)
    if (!isGreeted && text.includes('\nid: ')) {
      isGreeted = true
      greeted++
      open()
      if (greeted === streams) process.stdout.write('open\n')
    }
    if (isGreeted && tail !== undefined && text.includes(end)) {
      tail = ''
      received++
      firstAtMs ??= Date.now()
      if (received === streams) process.stdout.write(`received ${firstAtMs} ${Date.now()}\n`)
    }
  })
}
for (let index = 0; index < atOnce; index++) open()
