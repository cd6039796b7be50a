import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { loadConfig } from '@tallystick/service'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../commands/run-command-line.ts'
import type { Terminal } from '../commands/terminal/terminal.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const positions = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
const signerKey = `0x${'01'.repeat(32)}`
const needed = ['--chain', '324', '--pool', pool]

let directory: string
let configPath: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tallystick-init-'))
  configPath = join(directory, 'tallystick.json')
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
})

type Run = {
  readonly options?: readonly string[]
  readonly answers?: string | null
  readonly isTTY?: boolean
  readonly env?: Terminal['env']
}

/** Runs `init` with the lines of its input. `null` leaves the input open. */
async function init({ options = [], answers = '', isTTY = false, env = {} }: Run = {}) {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const streamOf = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new PassThrough().on('data', (chunk) => chunks[name].push(String(chunk))),
      { isTTY, columns: 80 },
    )
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const terminal: Terminal = { env, stdin, stdout: streamOf('stdout'), stderr: streamOf('stderr') }
  if (answers !== null) stdin.end(answers)
  const done = runCommandLine(['init', '--no-probe', '--config', configPath, ...options], terminal)
  const result = done.then(() => ({
    exitCode: terminal.exitCode ?? 0,
    stdout: chunks.stdout.join(''),
    stderr: chunks.stderr.join(''),
  }))
  return { stdin, result }
}

const run = async (setting: Run) => (await init(setting)).result
const written = () => JSON.parse(readFileSync(configPath, 'utf8'))
const modeOf = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8)

describe('questions', () => {
  test('default: asks, asks again after a wrong answer, and writes a configuration that the service loads', async () => {
    const rpc = 'https://rpc.example/v2/provider-key'
    const answers = ['', '10.0.0.1, nonsense', '10.0.0.1, 10.0.1.0/24', '99999', '8444', 'file:db', '0', '8453', '']
    const chain = ['0x12', pool, rpc, 'embedded', '', positions, '17', '0xdeadbeef', '', '', '', '', '']
    const { exitCode, stdout, stderr } = await run({ answers: [...answers, ...chain, ''].join('\n') })
    expect([exitCode, stderr]).toEqual([0, ''])
    for (const text of [
      'IP address or a network',
      'a port from 0',
      'a chain id',
      'an address',
      'is needed',
      'the key itself',
    ])
      expect(stdout).toContain(text)
    expect(written()).toEqual({
      $schema: './tallystick.schema.json',
      listen: { port: 8444, proxy: { trust: ['10.0.0.1', '10.0.1.0/24'] } },
      admin: { port: 9464, token: 'file:secrets/admin-token' },
      database: 'file:db',
      signer: { kind: 'private-key', key: 'file:secrets/signer-key' },
      curve: { source: 'manual' },
      chains: [
        {
          id: 8453,
          name: 'Base',
          pool,
          rpc: ['file:secrets/rpc-8453'],
          subgraph: { embedded: { positions, startBlock: 17 } },
        },
      ],
    })
    expect(loadConfig(configPath, { env: {}, secrets: 'required' }).chains[0]).toMatchObject({ id: 8453, rpc: [rpc] })
    expect(
      ['tallystick.json', 'secrets', 'secrets/signer-key', 'secrets/admin-token', 'secrets/rpc-8453'].map(modeOf),
    ).toEqual(['600', '700', '600', '600', '600'])
    expect(existsSync(join(directory, 'tallystick.schema.json'))).toBe(true)
    const secrets = ['signer-key', 'admin-token'].map((name) =>
      readFileSync(join(directory, 'secrets', name), 'utf8').trim(),
    )
    for (const secret of [...secrets, 'deadbeef']) expect(stdout).not.toContain(secret)
    expect(stdout.match(/^ {2}\$ tallystick (\w+)/gm)).toEqual([
      '  $ tallystick curve',
      '  $ tallystick keys',
      '  $ tallystick doctor',
      '  $ tallystick serve',
    ])
  })

  test('behavior: asks for the log and for further chains, each once', async () => {
    const answers = ['', '', '', '', '324', '', pool, '', '', '', '', '', 'notes.example/log']
    const further = ['324', '8453', '', pool, 'https://base.example/v2/key', '', '1', 'Ethereum', pool, '', '', '']
    const { exitCode, stdout } = await run({ answers: [...answers, ...further, ''].join('\n') })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('is in the configuration already')])
    expect(written()).toMatchObject({
      chains: [{ id: 324 }, { id: 8453, name: 'Base', rpc: ['file:secrets/rpc-8453'] }, { id: 1, name: 'Ethereum' }],
      log: { origin: 'notes.example/log', key: 'file:secrets/log-key' },
    })
    expect(loadConfig(configPath, { env: {}, secrets: 'required' }).chains).toHaveLength(3)
  })

  test.each([
    ['by npx', { npm_command: 'exec', npm_lifecycle_event: 'npx' }, 'npx tallystick'],
    [
      'by the script of the repository',
      { npm_command: 'run-script', npm_lifecycle_event: 'tallystick' },
      'npm run tallystick --',
    ],
    ['by another script', { npm_command: 'run-script', npm_lifecycle_event: 'deploy' }, 'tallystick'],
  ])('behavior: started %s, the next commands can be typed as they are', async (_, env, name) => {
    const { stdout } = await run({ options: ['--yes', '--json', ...needed], env })
    expect(JSON.parse(stdout).next.at(-1)).toMatch(new RegExp(`^${name} serve --config '?[^ ]*tallystick\\.json'?$`))
  })

  test('error: the end of the input leaves nothing', async () => {
    for (const answers of ['', '\n\n\n\n324\n', 'no-such-file.pem']) {
      const { exitCode, stderr } = await run({ answers })
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/^The input ended .* Nothing was written\. .* --yes/),
      ])
    }
    expect(readdirSync(directory)).toEqual([])
  })

  test('error: Ctrl-C half way leaves nothing', async () => {
    const { stdin, result } = await init({ answers: null, isTTY: true })
    stdin.write('\n\n\n\n324\n\u0003')
    const { exitCode, stderr } = await result
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Interrupted\. Nothing was written\./)])
    expect(readdirSync(directory)).toEqual([])
  })

  test('behavior: an option answers its question, and with --json only the result is on stdout', async () => {
    const { stdout, stderr } = await run({ options: [...needed, '--json'], answers: '\n'.repeat(20) })
    expect(stderr).toContain('Port of the API [8443]')
    expect(stderr).not.toContain('pool')
    expect(JSON.parse(stdout)).toMatchObject({
      newSigner: expect.stringMatching(/^0x/),
      variables: [],
      next: { length: 4 },
    })
  })
})

describe('without questions', () => {
  test('default: TLS, keystore, Web3Signer, a KMS and the Treasury by options; variables that are not set are named', async () => {
    const { cert, key } = createCertificateAuthority().issue(['localhost'])
    writeFileSync(join(directory, 'cert.pem'), cert)
    writeFileSync(join(directory, 'key.pem'), key)
    writeFileSync(join(directory, 'keystore.json'), '{}')
    const tls = ['--cert', join(directory, 'cert.pem'), '--key', join(directory, 'key.pem')]
    const keystore = ['--signer', `keystore:${join(directory, 'keystore.json')}`, '--signer-password', 'env:PASSWORD']
    const rest = [
      '--admin-token',
      'env:TOKEN',
      '--database',
      'env:DATABASE_URL',
      '--curve',
      'treasury',
      '--spread',
      '-25',
    ]
    const { exitCode, stdout } = await run({ options: ['--yes', '--json', ...needed, ...tls, ...keystore, ...rest] })
    expect([exitCode, JSON.parse(stdout).variables.toSorted()]).toEqual([0, ['DATABASE_URL', 'PASSWORD', 'TOKEN']])
    expect(written()).toMatchObject({
      listen: { tls: { cert: 'cert.pem', key: 'key.pem' } },
      signer: { kind: 'keystore', path: 'keystore.json', password: 'env:PASSWORD' },
      curve: { source: 'treasury', basis: 'discount', spreadBps: -25 },
    })
    expect(existsSync(join(directory, 'secrets'))).toBe(false)

    configPath = join(directory, 'other.json')
    const web3 = ['--signer', 'http://127.0.0.1:9000', '--signer-address', positions]
    expect((await run({ options: ['--yes', ...needed, ...web3] })).exitCode).toBe(0)
    expect(written().signer).toEqual({ kind: 'web3signer', url: 'http://127.0.0.1:9000', address: positions })

    const version = 'projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
    const kms = [
      [['--signer', 'aws-kms:alias/notes'], { kind: 'aws-kms', keyId: 'alias/notes' }],
      [['--signer', `gcp-kms:${version}`], { kind: 'gcp-kms', key: version }],
      [
        ['--signer', `gcp-kms:${version}`, '--signer-credentials', 'env:GOOGLE_KEY'],
        { kind: 'gcp-kms', key: version, credentials: 'env:GOOGLE_KEY' },
      ],
    ] as const
    for (const [index, [options, signer]] of kms.entries()) {
      configPath = join(directory, `kms-${index}.json`)
      const all = ['--yes', '--admin-token', 'env:TOKEN', ...needed, ...options]
      expect((await run({ options: all })).exitCode).toBe(0)
      expect(written().signer).toEqual(signer)
    }
  })

  test.each([
    ['without what has no default', [], /--chain, --pool: needed with --yes/],
    ['a pool that is no address', ['--chain', '1', '--pool', '0x12'], /--pool must be an address/],
    ['an option without effect', [...needed, '--positions', positions], /--positions has no effect/],
    [
      'a certificate without a file',
      [...needed, '--cert', 'nowhere.pem', '--key', 'x'],
      /--cert nowhere\.pem cannot be read/,
    ],
    ['an embedded subgraph without an RPC', [...needed, '--subgraph', 'embedded'], /--subgraph needs an RPC/],
    [
      'a key instead of its reference',
      [...needed, '--signer', signerKey],
      /--signer must be .* Do not give the key itself/,
    ],
    [
      'a key in a KMS that is none',
      [...needed, '--signer', 'gcp-kms:projects/p'],
      /--signer must be the resource name of a key version/,
    ],
    ['an AWS key that is none', [...needed, '--signer', 'aws-kms:a key'], /--signer must be a key id, an alias/],
    ['a token instead of its reference', [...needed, '--admin-token', 'hunter2'], /Do not give the secret itself/],
    ['a password in the database URL', [...needed, '--database', 'postgres://u:hunter2@db/x'], /has a password/],
    ['a URL with a password', [...needed, '--rpc', 'https://u:hunter2@rpc.example'], /--rpc must be an http/],
    [
      'a keystore that does not exist',
      [...needed, '--signer', 'keystore:nowhere'],
      /keystore file that does not exist/,
    ],
    ['a signer file that does not exist', [...needed, '--signer', 'file:nowhere'], /--signer .*nowhere cannot be read/],
  ])('error: %s is wrong usage, shows no secret and writes nothing', async (_, options, message) => {
    const { exitCode, stderr } = await run({ options: ['--yes', ...options] })
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr).not.toMatch(/hunter2|0101/)
    expect(readdirSync(directory)).toEqual([])
  })

  test('error: never overwrites, and removes what it wrote if it cannot write all', async () => {
    writeFileSync(configPath, 'mine')
    const existing = await run({ options: ['--yes', ...needed] })
    expect([existing.exitCode, existing.stderr]).toEqual([3, expect.stringContaining('exists and is not changed')])
    expect(readFileSync(configPath, 'utf8')).toBe('mine')

    rmSync(configPath)
    mkdirSync(join(directory, 'secrets'))
    writeFileSync(join(directory, 'secrets', 'admin-token'), 'mine')
    const secret = await run({ options: ['--yes', ...needed] })
    expect([secret.exitCode, secret.stderr]).toEqual([
      3,
      expect.stringMatching(/admin-token exists .* Nothing was written/),
    ])
    expect(readdirSync(directory, { recursive: true }).toSorted()).toEqual(['secrets', 'secrets/admin-token'])
    expect(readFileSync(join(directory, 'secrets', 'admin-token'), 'utf8')).toBe('mine')

    configPath = join(directory, 'nowhere', 'deep', 'tallystick.json')
    const nowhere = await run({ options: ['--yes', ...needed] })
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([3, expect.stringMatching(/cannot be written \(ENOENT\)/)])
  })

  test('error: a configuration that the loader refuses is not written', async () => {
    const env = { RPC: 'ftp://rpc.example' }
    const { exitCode, stderr } = await run({ options: ['--yes', ...needed, '--rpc', 'env:RPC'], env })
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/chains\[0\]\.rpc\[0\]: [\s\S]*Nothing was written/)])
    expect(readdirSync(directory)).toEqual([])
  })
})
