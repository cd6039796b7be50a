import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { quickFlags } from '@tallystick/workbench/quick-flags'
import { type Credentials, root } from './start-sandbox.ts'

export type RunningService = { readonly baseUrl: string; readonly apiKey: string; stop(): Promise<void> }

const cli = join(root, 'apps/api/bin/tallystick.js')

/** Starts `tallystick serve` with other chains, and with the certificate and the signer of a sandbox. */
export async function startService({ caCert }: Credentials, chains: readonly object[]): Promise<RunningService> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-portal-'))
  const config = join(directory, 'tallystick.json')
  const { listen, signer } = JSON.parse(readFileSync(join(dirname(caCert), '../tallystick.json'), 'utf8'))
  const settings = {
    listen: { ...listen, port: 0 },
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: `file:${join(directory, 'db')}`,
    signer: { ...signer, journal: join(directory, 'journal') },
    chains,
  }
  await writeFile(config, JSON.stringify(settings), { mode: 0o600 })
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caCert, ADMIN_TOKEN: 'an-admin-token-for-tests' }
  const run = (...commandLine: string[]) =>
    spawn(process.execPath, [...quickFlags, cli, ...commandLine, '--config', config], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const { secret } = JSON.parse(await readUntil(run('keys', 'create', '--name', 'page', '--json'), /\}\s*$/))
  const child = run('serve')
  const said = await readUntil(child, /^ready .*$/m)
  return {
    baseUrl: /^ready (\S+)$/m.exec(said)?.[1] as string,
    apiKey: secret,
    stop: async () => {
      const exited = once(child, 'close')
      child.kill('SIGINT')
      await exited
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Returns the output of a process once it matches. Fails if the process ends before. */
async function readUntil(child: ReturnType<typeof spawn>, pattern: RegExp): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said += chunk
      if (pattern.test(said)) resolve(said)
    })
    child.once('close', () => reject(new Error(`the process ended early: ${said}`)))
  })
}
