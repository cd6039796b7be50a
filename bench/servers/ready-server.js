import { createServer } from 'node:http'

// Baseline of a start: a Node process that only listens.
const server = createServer()
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`)
})
