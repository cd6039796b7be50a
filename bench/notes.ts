import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { measureLoad } from './load.ts'
import { compare, type Result } from './result.ts'

const rounds = 5
const secondsARound = 3
// What is measured is what is built, as in production.
const cli = fileURLToPath(new URL('../apps/api/bin/tallystick.js', import.meta.url))
const bareServer = fileURLToPath(new URL('bare-server.js', import.meta.url))

/** `GET /notes` with key, rate limit and all headers, beside a bare server that returns the same bytes. */
export async function measureNotes(): Promise<Result[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  const ca = writeSite(directory)
  const environment = { ...process.env, ADMIN_TOKEN: 'bench', SIGNER_KEY: `0x${'01'.repeat(32)}` }
  const run = (...commandLine: string[]) =>
    execFileSync(process.execPath, [cli, ...commandLine, '--json'], { cwd: directory, env: environment })
  run('curve', 'set', '7=369', '14=365', '30=362', '60=358', '90=355', '180=350', '360=340')
  const { secret } = JSON.parse(String(run('keys', 'create', '--name', 'bench', '--rpm', '1000000')))
  const service = await start([cli, 'serve', '--log-level', 'warn'], { cwd: directory, env: environment })
  const { etag, body } = await fetchOnce({ port: service.port, ca, secret })
  writeFileSync(join(directory, 'body.json'), body)
  const files = [join(directory, 'cert.pem'), join(directory, 'key.pem'), join(directory, 'body.json')]
  const bare = await start([bareServer, ...files], { cwd: directory, env: environment })
  const bare304 = await start([bareServer, ...files, '304'], { cwd: directory, env: environment })

  const head = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n`
  const pair = async (name: string, request: string, baselinePort: number) => {
    const measured = []
    for (let round = 0; round < rounds; round++) {
      const load = { ca, request, seconds: secondsARound }
      const baseline = await measureLoad({ ...load, port: baselinePort })
      measured.push({ baseline, value: await measureLoad({ ...load, port: service.port }) })
    }
    return compare({ name, unit: 'req/s' }, measured)
  }
  const results = [
    await pair('notes.rps', `${head}\r\n`, bare.port),
    await pair('notes.304', `${head}if-none-match: ${etag}\r\n\r\n`, bare304.port),
  ]
  for (const { child } of [service, bare, bare304]) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
  return results
}

function writeSite(directory: string): string {
  const authority = createCertificateAuthority()
  const server = authority.issue(['localhost', '127.0.0.1'])
  writeFileSync(join(directory, 'cert.pem'), server.cert)
  writeFileSync(join(directory, 'key.pem'), server.key)
  const config = {
    listen: { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } },
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: 'file:db',
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    chains: [{ id: 324, name: 'zkSync Era', pool: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' }],
  }
  writeFileSync(join(directory, 'tallystick.json'), JSON.stringify(config))
  return authority.cert
}

/** Starts a server in a process of its own and waits for its ready line. */
async function start(
  commandLine: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = spawn(process.execPath, [...commandLine], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.once('exit', (code) => reject(new Error(`${commandLine[0]} ended with ${code}`)))
    child.stdout.on('data', (chunk) => {
      text += chunk
      const match = /^ready (?:\S*:)?(\d+)$/m.exec(text)
      if (match) resolve(Number(match[1]))
    })
  })
  return { child, port }
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
