// Asks the admin listener: probe.mjs [/livez | /readyz]. Exits with 0 for a status of 200, otherwise with 1.
// An image without a shell has no curl, and a token in a probe's httpHeaders would be readable in the manifest.
import { readFileSync } from 'node:fs'
import { get } from 'node:http'

const timeoutMs = 4_000
const [, , path = '/livez'] = process.argv
const { PROBE_URL = 'http://127.0.0.1:9464', PROBE_TOKEN_FILE } = process.env

function fail(message) {
  process.stderr.write(`${path}: ${message}\n`)
  process.exit(1)
}

function readHeaders() {
  if (PROBE_TOKEN_FILE === undefined) return {}
  return { authorization: `Bearer ${readFileSync(PROBE_TOKEN_FILE, 'utf8').trim()}` }
}

try {
  get(`${PROBE_URL}${path}`, { headers: readHeaders(), timeout: timeoutMs }, ({ statusCode }) =>
    statusCode === 200 ? process.exit(0) : fail(`status ${statusCode}`),
  )
    .on('timeout', () => fail(`no response in ${timeoutMs / 1000} s`))
    .on('error', ({ message }) => fail(message))
} catch ({ message }) {
  fail(message)
}
