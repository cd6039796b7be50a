import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

// Simulates a remote subgraph: adds delay, uses little CPU. Arguments: certificate, key, file with the data, delay in
// milliseconds. The delay varies from 0.5 to 1.5 times that value, so that clients do not synchronise.
const [, , cert = '', key = '', data = '', delay = '0'] = process.argv
const members = readFileSync(data, 'utf8').slice(1, -1)
const head = JSON.stringify({
  block: { number: 20_001, hash: `0x${'ab'.repeat(32)}`, timestamp: Math.floor(Date.now() / 1000) },
})
let count = 0
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const alias = /(\w+): _meta \{/.exec(Buffer.concat(chunks).toString())?.[1]
    const body = Buffer.from(`{"data":{${alias ? `"${alias}":${head},` : ''}${members}}}`)
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const share = 0.5 + ((count++ * 0.618) % 1)
    setTimeout(() => response.writeHead(200, headers).end(body), Number(delay) * share)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
