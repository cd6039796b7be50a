import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import pg from 'pg'

// Baseline server: parses the request, runs one prepared query and returns the rows as JSON over the same TLS.
// Arguments: certificate, key, database URL, file with the statement.
const [, , cert = '', key = '', connectionString = '', statement = ''] = process.argv
const text = readFileSync(statement, 'utf8')
const pool = new pg.Pool({ connectionString, max: 16 })
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const { variables } = JSON.parse(Buffer.concat(chunks).toString())
    const values = [`\\x${variables.walletAddress.slice(2)}`]
    const { rows } = await pool.query({ name: 'positions', text, values })
    const body = Buffer.from(JSON.stringify({ data: { positionInfos: rows } }))
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
