import { writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measureLoad } from './load.ts'
import { compare, type Result } from './result.ts'
import { createBenchKey, createSite } from './service.ts'

const rounds = 5
const secondsARound = 3
const bareServer = fileURLToPath(new URL('bare-server.js', import.meta.url))

/** `GET /notes` with key, rate limit and all headers, beside a bare server that returns the same bytes. */
export async function measureNotes(): Promise<Result[]> {
  const site = createSite({})
  const { ca, directory } = site
  site.run('curve', 'set', '7=369', '14=365', '30=362', '60=358', '90=355', '180=350', '360=340')
  const secret = createBenchKey(site)
  const service = await site.serve()
  const { etag, body } = await fetchOnce({ port: service.port, ca, secret })
  writeFileSync(join(directory, 'body.json'), body)
  const files = [join(directory, 'cert.pem'), join(directory, 'key.pem'), join(directory, 'body.json')]
  const bare = await site.start([bareServer, ...files])
  const bare304 = await site.start([bareServer, ...files, '304'])

  const head = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n`
  const pair = async (name: string, request: string, baselinePort: number) => {
    const measured = []
    for (let round = 0; round < rounds; round++) {
      const load = { ca, request, seconds: secondsARound }
      const { rate: baseline } = await measureLoad({ ...load, port: baselinePort })
      const { rate: value } = await measureLoad({ ...load, port: service.port })
      measured.push({ baseline, value })
    }
    return compare({ name, unit: 'req/s' }, measured)
  }
  const results = [
    await pair('notes.rps', `${head}\r\n`, bare.port),
    await pair('notes.304', `${head}if-none-match: ${etag}\r\n\r\n`, bare304.port),
  ]
  for (const { child } of [service, bare, bare304]) child.kill('SIGKILL')
  site.remove()
  return results
}

async function fetchOnce({ port, ca, secret }: { port: number; ca: string; secret: string }) {
  return new Promise<{ etag: string; body: Buffer }>((resolve, reject) => {
    get(`https://localhost:${port}/notes`, { ca, headers: { 'x-api-key': secret } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ etag: String(response.headers.etag), body: Buffer.concat(chunks) }))
    }).on('error', reject)
  })
}
