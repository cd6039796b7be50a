import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseAdminToken, listAdminTokens } from './admin-tokens.ts'
import { type Config, type LoadOptions, loadConfig, parseWithSchema, readConfigJson } from './config.ts'
import { configSchema } from './config-schema.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const positions = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
const env = {
  ADMIN_TOKEN: 'secret-admin-token',
  SIGNER_KEY: `0x${'01'.repeat(32)}`,
  KEYSTORE_PASSWORD: 'secret-keystore-password',
  GRAPH_AUTH: 'Bearer secret-graph-token',
  DATABASE_URL: 'postgres://tallystick:secret-database-password@db.internal:5432/tallystick',
  EMPTY: '',
}

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallystick-config-'))
  path = join(folder, 'tallystick.json')
  const authority = createCertificateAuthority()
  const server = authority.issue(['localhost'])
  const other = authority.issue(['localhost'])
  await Promise.all([
    writeFile(join(folder, 'cert.pem'), server.cert),
    writeFile(join(folder, 'key.pem'), server.key),
    writeFile(join(folder, 'other-key.pem'), other.key),
    writeFile(join(folder, 'text.pem'), 'not PEM at all'),
    writeFile(join(folder, 'token'), 'secret-from-a-file\n'),
    writeFile(join(folder, 'empty'), '\n'),
  ])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const defaultRails = {
  maxMoveBps: 100,
  maxMoveBpsPerDay: 150,
  maxMoveBpsPerWeek: 250,
  signAheadSeconds: 600,
  preflight: 'warn',
  earlierSigner: 'serve',
}

/** Configuration with the first of each alternative and no member left to its default. */
const example = {
  listen: { host: '0.0.0.0', port: 8443, tls: { cert: 'cert.pem', key: 'key.pem' } },
  admin: { host: '127.0.0.1', port: 9464, token: 'env:ADMIN_TOKEN' },
  database: 'file:.tallystick/db',
  signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
  tenors: [7, 14, 30, 60, 90, 180, 360],
  curve: { source: 'manual' },
  rails: defaultRails,
  chains: [
    {
      id: 324,
      name: 'zkSync Era',
      pool,
      domain: { name: 'NoteSignatureVerifier', version: '1' },
      maxCouponBps: 1000,
      minMaturitySeconds: 172800,
      rpc: ['https://rpc.example'],
      subgraph: { urls: ['https://graph.example/q'], headers: { authorization: 'env:GRAPH_AUTH' } },
    },
  ],
}
const [chain] = example.chains as [(typeof example.chains)[0]]

/** Members without a default. */
const smallest = {
  listen: { tls: { cert: 'cert.pem', key: 'key.pem' } },
  admin: { token: 'env:ADMIN_TOKEN' },
  signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
  chains: [{ id: 324, name: 'zkSync Era', pool }],
}

/** Loads a configuration, and checks that its JSON Schema says the same about it. */
async function load(content: unknown, options: Partial<LoadOptions> = {}): Promise<Config> {
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  try {
    const config = parseWithSchema(readConfigJson(path), {
      path,
      schema: schemaFor({ env, secrets: 'required', ...options }),
    })
    expect([content, accepts(JSON.parse(readFileSync(path, 'utf8'))), accepts.errors]).toEqual([content, true, null])
    return config
  } catch (error) {
    const faults = (error as Failure).details?.faults ?? []
    if (faults.some(({ message }) => !valueFault.test(message)))
      expect([faults, accepts(JSON.parse(readFileSync(path, 'utf8')))]).toEqual([faults, false])
    throw error
  }
}

const schemas = new Map<string, ReturnType<typeof configSchema>>()

/** Returns the schema. `loadConfig` builds one for each call, which takes most of its time. */
function schemaFor(options: LoadOptions) {
  const name = JSON.stringify(options)
  const schema = schemas.get(name) ?? configSchema({ ...options, baseDirectory: folder })
  schemas.set(name, schema)
  return schema
}

type Failure = Error & { code: string; details?: { faults: { path: string; message: string }[] } }

const accepts = new Ajv({ strictRequired: false, strictTypes: false }).compile(
  JSON.parse(readFileSync(new URL('../../config.schema.json', import.meta.url), 'utf8')),
)
// A schema describes structure. It cannot know files, variables, checksums, and values that depend on others.
const valueFault =
  /is not set|cannot be read|is empty|contains no PEM|valid checksum|twice|reserved|valid URL|another name|IP address|user name|has no effect|at least one RPC|a log|of a variable|in the public log|which it includes|the value of|same database/

async function failureOf(content: unknown, options: Partial<LoadOptions> = {}): Promise<Failure> {
  const error = (await load(content, options).catch((error) => error)) as Failure
  expect(error).toMatchObject({ name: 'TallystickError', code: 'invalid_config', retryable: false })
  return error
}

/** Returns the lines of all faults, without the name of the temporary folder. */
async function faultsOf(content: unknown, options: Partial<LoadOptions> = {}): Promise<string[]> {
  const { message, details } = await failureOf(content, options)
  const [head, ...lines] = message.split('\n')
  expect(head).toBe(`${path} is not a valid configuration:`)
  const faults = lines.map((line) => line.replace(/^ {2}/, ''))
  expect(details?.faults.map((fault) => `${fault.path}: ${fault.message}`)).toEqual(faults)
  return faults.map((fault) => fault.replaceAll(folder, '<folder>'))
}

const withChain = (change: object) => ({ ...smallest, chains: [{ ...smallest.chains[0], ...change }] })

describe('the example of the design', () => {
  test('default: parses, with resolved paths and the pool in the domain', async () => {
    const config = await load(example)
    expect(JSON.parse(JSON.stringify(config))).toEqual({
      ...example,
      hooks: { allowPrivate: [] },
      portal: { frameAncestors: [] },
      listen: {
        ...example.listen,
        publicRpm: 600,
        publicQueryMsPerMinute: 10_000,
        connectionsPerAddressMax: 100,
        eventStreamsPerKey: 20,
        reusePort: false,
        lameDuckSeconds: 5,
        shutdownSeconds: 25,
        tls: { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') },
      },
      admin: { host: '127.0.0.1', port: 9464, token: {} },
      database: {},
      signer: { kind: 'private-key', key: {}, journal: join(folder, '.tallystick/signer-journal.jsonl') },
      data: {
        timeoutMs: 10_000,
        hedgeMs: 500,
        pollMs: 2_000,
        maxLagSeconds: 300,
        answerBytesMax: 8_388_608,
        cacheBytesMax: 67_108_864,
      },
      chains: [
        {
          id: 324,
          name: 'zkSync Era',
          tenors: example.tenors,
          signer: expect.objectContaining({ kind: 'private-key' }),
          domain: { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool },
          maxCouponBps: 1000,
          minMaturitySeconds: 172800,
          publicRpc: [],
          currency: 'ETH',
          maxReorgDepth: 256,
          rpc: ['https://rpc.example'],
          subgraph: { urls: ['https://graph.example/q'], headers: { authorization: {} } },
        },
      ],
    })
    expect(config.admin.token?.reveal()).toBe(env.ADMIN_TOKEN)
    expect(config.chains[0]?.subgraph?.headers?.['authorization']?.reveal()).toBe(env.GRAPH_AUTH)
  })

  test('default: a file is loaded as its JSON is parsed', async () => {
    const options = { env, secrets: 'required' } as const
    const parsed = await load(example)
    expect(JSON.stringify(loadConfig(path, options))).toBe(JSON.stringify(parsed))
    await writeFile(path, JSON.stringify({ ...example, tenors: [0] }))
    expect(() => loadConfig(path, options)).toThrow(`${path} is not a valid configuration:\n  tenors[0]: `)
  })

  test('default: a private key', async () => {
    const { signer } = await load(example)
    expect(signer.kind === 'private-key' && signer.key.reveal()).toBe(env.SIGNER_KEY)
  })

  test('default: a keystore, its path relative to the file', async () => {
    const { signer } = await load({
      ...example,
      signer: { kind: 'keystore', path: 'keys/signer.json', password: 'env:KEYSTORE_PASSWORD' },
    })
    expect(signer).toMatchObject({ kind: 'keystore', path: join(folder, 'keys/signer.json') })
    expect(signer.kind === 'keystore' && signer.password.reveal()).toBe(env.KEYSTORE_PASSWORD)
  })

  test('default: a Web3Signer, its address checksummed', async () => {
    const { signer } = await load({
      ...example,
      signer: { kind: 'web3signer', url: 'http://127.0.0.1:9000', address: positions.toLowerCase() },
    })
    const journal = join(folder, '.tallystick/signer-journal.jsonl')
    expect(signer).toEqual({ kind: 'web3signer', url: 'http://127.0.0.1:9000', address: positions, journal })
  })

  test.each([
    ['signed.jsonl', () => join(folder, 'signed.jsonl')],
    ['/var/lib/tallystick/signed.jsonl', () => '/var/lib/tallystick/signed.jsonl'],
  ])('default: a journal at %s, relative to the file', async (journal, expected) => {
    const { signer } = await load({ ...example, signer: { ...example.signer, journal } })
    expect(signer.journal).toBe(expected())
  })

  test.each([
    ['postgres://a:p%2F@guard.example/claims', 'postgres://a:p%2F@guard.example/claims'],
    ['env:GUARD', 'postgresql://guard.example/claims'],
  ])('default: a protection at %s', async (protection, expected) => {
    const more = { env: { ...env, GUARD: 'postgresql://guard.example/claims' } }
    const { signer } = await load({ ...example, signer: { ...example.signer, protection } }, more)
    expect(signer.protection?.reveal()).toBe(expected)
    expect(JSON.stringify(signer)).not.toContain('guard')
  })

  test.each([
    ['file:.tallystick/db', 'cannot be read'],
    ['env:MISSING', 'the variable MISSING is not set'],
    ['env:SIGNER_KEY', 'must be "postgres://…"'],
    ['https://guard.example', 'must be "postgres://…"'],
    ['postgres://a:p/@guard.example/claims', 'percent-encode'],
    ['postgres://other@DB.example:5432/tally', 'is the same database as "database"'],
    ['postgresql://db.example/tally?sslmode=require', 'is the same database as "database"'],
  ])('error: a protection at %s', async (protection, expected) => {
    const database = 'postgres://user@db.example/tally'
    const faults = await faultsOf({ ...example, database, signer: { ...example.signer, protection } })
    expect(faults).toEqual([expect.stringContaining('signer.protection: ')])
    expect(faults[0]).toContain(expected)
  })

  test.each(['localhost', '127.0.0.1', '[::1]'])(
    'error: a protection on %s is the database on localhost',
    async (host) => {
      const signer = { ...example.signer, protection: `postgres://user@${host}/tally` }
      expect(await faultsOf({ ...example, database: 'postgres://localhost:5432/tally', signer })).toHaveLength(1)
      const other = { ...example, database: 'postgres://localhost:5433/tally', signer }
      expect((await load(other)).signer.protection).toBeDefined()
    },
  )

  test('error: a journal without a name', async () => {
    const faults = await faultsOf({ ...example, signer: { ...example.signer, journal: '' } })
    expect(faults).toEqual([expect.stringContaining('signer.journal: ')])
  })

  test('default: behind a proxy', async () => {
    const trust = ['10.0.0.0/8', '127.0.0.1', '::1', 'fd00::/8', '0.0.0.0/0']
    const { listen } = await load({ ...example, listen: { host: '127.0.0.1', port: 8080, proxy: { trust } } })
    expect(listen).toEqual({
      host: '127.0.0.1',
      port: 8080,
      publicRpm: 600,
      publicQueryMsPerMinute: 10_000,
      connectionsPerAddressMax: 100,
      eventStreamsPerKey: 20,
      reusePort: false,
      lameDuckSeconds: 5,
      shutdownSeconds: 25,
      proxy: { trust },
    })
  })

  test.each([
    [{}, 10_000],
    [{ publicRpm: null }, null],
    [{ publicRpm: null, publicQueryMsPerMinute: 5 }, 5],
    [{ publicQueryMsPerMinute: null }, null],
  ])('default: with %j an address has a query budget of %s ms per minute', async (limits, expected) => {
    const { listen } = await load({ ...example, listen: { ...example.listen, ...limits } })
    expect(listen.publicQueryMsPerMinute).toBe(expected)
  })

  test.each([
    [undefined, undefined],
    [{}, undefined],
    [{ visitors: false }, undefined],
    [{ visitors: true }, { requestsPerMinute: 120 }],
    [{ visitors: {} }, { requestsPerMinute: 120 }],
    [{ visitors: { requestsPerMinute: 7 } }, { requestsPerMinute: 7 }],
  ])('default: visitors of the page with %j', async (portal, expected) => {
    expect((await load({ ...example, portal })).portal.visitors).toEqual(expected)
  })

  test.each([
    ['yes', ': must be true, false or {'],
    [null, ': must be true, false or {'],
    [{ requestsPerMinute: 0 }, '.requestsPerMinute: Too small'],
    [{ requestsPerMinute: null }, ': must be true, false or {'],
    [{ rpm: 5 }, ': Unrecognized key: "rpm"'],
  ])('error: visitors %j', async (visitors, expected) => {
    const faults = await faultsOf({ ...example, portal: { visitors } })
    expect(faults).toEqual([expect.stringContaining(`portal.visitors${expected}`)])
  })

  test('behavior: the origins of web pages are exact', async () => {
    const cors = [
      'https://app.example',
      'https://app.example:8443',
      'http://localhost:3000',
      'http://127.0.0.1',
      'http://[::1]:80',
    ]
    const loadWith = (origins: unknown) => load({ ...example, listen: { ...example.listen, cors: origins } })
    expect((await load(example)).listen.cors).toBeUndefined()
    expect((await loadWith(cors.slice(0, 4))).listen.cors).toEqual(cors.slice(0, 4))
    const faulty = [
      ...['*', 'https://*.app.example', 'https://app.example/', 'https://app.example/path', 'https://app.example?a'],
      ...[
        'https://app.example:443',
        'https://App.example',
        'http://app.example',
        'app.example',
        'null',
        '',
        'https://',
      ],
      ...['https://user@app.example', 'https://bücher.example', 'file:///x', 'http://[::1]:80', ' https://app.example'],
    ]
    const error = await loadWith([...faulty, 1, 'https://a.example', 'https://a.example']).catch((caught) => caught)
    const faults: { path: string; message: string }[] = error.details.faults
    const paths = faulty.map((_, index) => `listen.cors[${index}]`)
    expect(faults.map(({ path }) => path)).toEqual([...paths, `listen.cors[${faulty.length}]`, 'listen.cors'])
    expect(faults[0]?.message).toContain('must be an origin as browsers send it, such as "https://app.example"')
    expect(faults.at(-1)?.message).toBe('contains an origin twice')
  })

  test('behavior: what may frame the page is an exact origin that cannot add to the Content-Security-Policy', async () => {
    const loadWith = (frameAncestors: unknown) => load({ ...example, portal: { frameAncestors } })
    const origins = [
      'https://app.safe.global',
      'https://safe.example:8443',
      'http://localhost:3000',
      'http://127.0.0.1',
    ]
    expect((await load(example)).portal).toEqual({ frameAncestors: [] })
    expect((await loadWith(origins)).portal.frameAncestors).toEqual(origins)
    const faulty = [
      ...['*', 'https:', 'https://*', 'https://*.safe.global', "'self'", "'none'", '', 'data:', 'http://safe.example'],
      ...['https://safe.example/', 'https://safe.example/apps', 'https://user@safe.example', 'https://SAFE.example'],
      ...["https://safe.example;script-src'unsafe-inline'", "https://a'b", 'https://a"b', 'https://a,b', 'https://a_b'],
      ...[
        'https://safe.example https://b.example',
        'https://safe.example\n',
        'https://a\r\nx-header:b',
        'http://[::1]:8080',
      ],
    ]
    const error = await loadWith([...faulty, 1, 'https://a.example', 'https://a.example']).catch((caught) => caught)
    const faults: { path: string; message: string }[] = error.details.faults
    expect(faults.map(({ path }) => path)).toEqual([
      ...faulty.map((_, index) => `portal.frameAncestors[${index}]`),
      `portal.frameAncestors[${faulty.length}]`,
      'portal.frameAncestors',
    ])
    expect(faults.at(-1)?.message).toBe('contains an origin twice')
    const many = Array.from({ length: 101 }, (_, index) => `https://a${index}.example`)
    await expect(loadWith(many)).rejects.toThrow('portal.frameAncestors')
    await expect(load({ ...example, portal: { frameAncestor: [] } })).rejects.toThrow('portal')
  })

  test.each([[{}], [{ prefer: 'embedded' }], [{ prefer: 'urls' }]])('default: both subgraphs, %j', async (prefer) => {
    const subgraph = { urls: ['https://g.example/'], embedded: { positions, startBlock: 7 }, ...prefer }
    const { chains } = await load(withChain({ rpc: ['http://127.0.0.1:8545'], subgraph }))
    expect(chains[0]?.subgraph).toEqual(subgraph)
    const wrong = withChain({ rpc: ['http://127.0.0.1:8545'], subgraph: { ...subgraph, prefer: 'remote' } })
    expect((await faultsOf(wrong))[0]).toMatch(/^chains\[0\]\.subgraph\.prefer: /)
    expect((await faultsOf(withChain({ subgraph })))[0]).toMatch(/^chains\[0\]\.rpc: must have at least one RPC/)
  })

  test('default: an embedded subgraph', async () => {
    const rpc = ['http://127.0.0.1:8545']
    const { chains } = await load(withChain({ rpc, subgraph: { embedded: { positions, startBlock: 7 } } }))
    expect(chains[0]?.subgraph).toEqual({ embedded: { positions, startBlock: 7 } })
    const defaulted = await load(withChain({ rpc, subgraph: { embedded: { positions } } }))
    expect(defaulted.chains[0]?.subgraph?.embedded?.startBlock).toBe(0)
    expect(await faultsOf(withChain({ subgraph: { embedded: { positions } } }))).toEqual([
      'chains[0].rpc: must have at least one RPC: the embedded subgraph indexes the chain from it',
    ])
  })
})

describe('defaults', () => {
  test('default: omitted members have their defaults', async () => {
    const config = await load(smallest)
    expect(config.database.reveal()).toBe(`file:${join(folder, '.tallystick/db')}`)
    expect(config).toMatchObject({
      listen: { host: '0.0.0.0', port: 8443 },
      admin: { host: '127.0.0.1', port: 9464 },
      tenors: [7, 14, 30, 60, 90, 180, 360],
      curve: { source: 'manual' },
      rails: defaultRails,
    })
    expect(config.chains).toEqual([
      {
        id: 324,
        name: 'zkSync Era',
        tenors: [7, 14, 30, 60, 90, 180, 360],
        signer: config.signer,
        domain: { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool },
        maxCouponBps: 1000,
        minMaturitySeconds: 172_800,
        rpc: [],
        publicRpc: [],
        currency: 'ETH',
        maxReorgDepth: 256,
      },
    ])
  })

  test('behavior: a group with one member has the defaults of the others', async () => {
    const config = await load({ ...withChain({ domain: { version: '2' } }), rails: { maxMoveBps: 0 } })
    expect(config.rails).toEqual({ ...defaultRails, maxMoveBps: 0, maxMoveBpsPerDay: 0, maxMoveBpsPerWeek: 0 })
    expect(config.chains[0]?.domain).toMatchObject({ name: 'NoteSignatureVerifier', version: '2' })
  })

  test('behavior: the rails per day and per week default to multiples of the rail per period', async () => {
    const { rails } = await load({ ...smallest, rails: { maxMoveBps: 25, maxMoveBpsPerWeek: 30 } })
    expect(rails).toMatchObject({ maxMoveBps: 25, maxMoveBpsPerDay: 38, maxMoveBpsPerWeek: 30 })
  })

  test('error: more tenors than an entry of the public log can hold', async () => {
    const tenors = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
    const [only] = smallest.chains as [object]
    expect((await load({ ...smallest, tenors: tenors(190) })).tenors).toHaveLength(190)
    expect(await faultsOf({ ...smallest, tenors: tenors(191) })).toMatchInlineSnapshot(`
      [
        "tenors: are 191 tenors, whose notes on chain 324 can have 65769 bytes in the public log. Its entries have at most 65535",
      ]
    `)
    const chains = [only, { ...only, id: 9_007_199_254_740_991, tenors: tenors(190) }]
    expect(await faultsOf({ ...smallest, chains })).toEqual([expect.stringMatching(/^chains\[1\]\.tenors: are 190/)])
  })

  test('behavior: tenors are sorted', async () => {
    expect((await load({ ...smallest, tenors: [30, 7, 180, 14] })).tenors).toEqual([7, 14, 30, 180])
  })

  test('behavior: a chain has its own tenors or the common ones, and the list of all has each once', async () => {
    const [only] = smallest.chains
    const chains = [only, { ...only, id: 1, tenors: [90, 14] }, { ...only, id: 2, tenors: [7] }]
    const config = await load({ ...smallest, tenors: [30, 7], chains })
    expect(config.chains.map(({ tenors }) => tenors)).toEqual([[7, 30], [14, 90], [7]])
    expect(config.tenors).toEqual([7, 14, 30, 90])
    // No chain offers the common tenors.
    expect((await load({ ...smallest, tenors: [30], chains: chains.slice(1) })).tenors).toEqual([7, 14, 90])
  })

  test('behavior: a chain has its own signer or the common one, which alone has the journal', async () => {
    const [only] = smallest.chains
    const keystore = { kind: 'keystore', path: 'key.json', password: 'env:KEYSTORE_PASSWORD' }
    const config = await load({ ...smallest, chains: [only, { ...only, id: 1, signer: keystore }] })
    expect(config.chains[0]?.signer).toBe(config.signer)
    expect(config.chains[1]?.signer).toMatchObject({ kind: 'keystore', path: join(folder, 'key.json') })
    expect(await faultsOf(withChain({ signer: { ...keystore, journal: 'journal' } }))).toEqual([
      'chains[0].signer: Unrecognized key: "journal"',
    ])
    expect(await faultsOf(withChain({ signer: { ...keystore, password: 'env:NOT_SET' } }))).toEqual([
      'chains[0].signer.password: the variable NOT_SET is not set',
    ])
  })

  test.each([
    ['https://explorer.example', 'https://explorer.example'],
    ['https://explorer.example/', 'https://explorer.example'],
    ['https://Explorer.example:8443/era//', 'https://explorer.example:8443/era'],
  ])('default: the explorer %s', async (explorer, expected) => {
    expect((await load(withChain({ explorer }))).chains[0]?.explorer).toBe(expected)
  })

  test('default: what wallets need to add a chain', async () => {
    expect((await load(smallest)).chains[0]).toMatchObject({ publicRpc: [], currency: 'ETH' })
    const chain = { publicRpc: ['https://rpc.example/v1', 'http://127.0.0.1:8545'], currency: 'POL' }
    expect((await load(withChain(chain))).chains[0]).toMatchObject(chain)
  })
})

describe('faults', () => {
  test('error: all faults are listed, each with its path', async () => {
    const faults = await faultsOf({
      ...example,
      listen: { port: 70_000, tls: { cert: 'missing.pem', key: 'missing-key.pem' } },
      admin: { port: 9464.5, token: 'hunter2' },
      database: 'mysql://db',
      signer: { kind: 'keystore', path: '', password: 'env:NOT_SET' },
      tenors: [7, 0, 3651],
      rails: { maxMoveBps: -1, maxMoveBpsPerDay: 1.5, maxMoveBpsPerWeek: 100_001, signAheadSeconds: 21_601 },
      chains: [
        { ...chain, pool: '0x12', domain: { version: 1 }, rpc: ['ftp://rpc'], maxCouponBps: 10_001 },
        { ...chain, id: 0, name: '', subgraph: { urls: [], headers: { authorization: 'Bearer x' } } },
      ],
    })
    expect(faults).toMatchInlineSnapshot(`
      [
        "listen.port: Too big: expected number to be <=65535",
        "listen.tls.cert: <folder>/missing.pem cannot be read (ENOENT)",
        "listen.tls.key: <folder>/missing-key.pem cannot be read (ENOENT)",
        "admin.port: Invalid input: expected int, received number",
        "admin.token: must be "env:NAME" or "file:path": secrets do not belong in this file",
        "database: must be "postgres://…", "file:<directory>", or "env:NAME" of a variable that contains one of them",
        "signer.path: Too small: expected string to have >=1 characters",
        "signer.password: the variable NOT_SET is not set",
        "tenors[1]: Too small: expected number to be >=1",
        "tenors[2]: Too big: expected number to be <=3650",
        "rails.maxMoveBps: Too small: expected number to be >=0",
        "rails.maxMoveBpsPerDay: Invalid input: expected int, received number",
        "rails.maxMoveBpsPerWeek: Too big: expected number to be <=100000",
        "rails.signAheadSeconds: Too big: expected number to be <=21600",
        "chains[0].pool: must be an address: 0x and 40 hex digits, with a valid checksum if mixed case",
        "chains[0].domain.version: must be a string: a number would change the hash",
        "chains[0].maxCouponBps: Too big: expected number to be <=10000",
        "chains[0].rpc[0]: must be an http or https URL without a user name or password in it, or "env:NAME" or "file:path" of one",
        "chains[1].id: Too small: expected number to be >=1",
        "chains[1].name: Too small: expected string to have >=1 characters",
        "chains[1].subgraph.urls: Too small: expected array to have >=1 items",
        "chains[1].subgraph.headers.authorization: must be "env:NAME" or "file:path": secrets do not belong in this file",
      ]
    `)
  })

  test('error: a fault between members is listed even if one member is invalid too', async () => {
    const [only] = smallest.chains
    const faults = await faultsOf({
      ...smallest,
      listen: { port: 70_000 },
      tenors: [7, 7, 0],
      chains: [only, { ...only, name: '', subgraph: { headers: { authorization: 'env:NOT_SET' } } }],
    })
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(
      expect.arrayContaining(['listen.port', 'listen', 'tenors[2]', 'tenors', 'chains[1].name', 'chains[1].id']),
    )
  })

  test('error: an empty object lacks the members without a default', async () => {
    expect(await faultsOf({})).toMatchInlineSnapshot(`
      [
        "listen: Invalid input: expected object, received undefined",
        "admin: Invalid input: expected object, received undefined",
        "signer: Invalid input: expected object, received undefined",
        "chains: Invalid input: expected array, received undefined",
      ]
    `)
  })

  test.each([
    ['null', null],
    ['a list', []],
    ['a text', '"env:CONFIG"'],
  ])('error: %s is not a configuration', async (_, content) => {
    expect((await faultsOf(content))[0]).toMatch(/^\(top level\): Invalid input: expected object/)
  })

  test.each([
    ['(top level)', 'tenor', { ...smallest, tenor: [7] }],
    ['listen', 'adress', { ...smallest, listen: { ...smallest.listen, adress: '::' } }],
    ['listen.tls', 'passphrase', { ...smallest, listen: { tls: { ...smallest.listen.tls, passphrase: 'x' } } }],
    ['admin', 'Token', { ...smallest, admin: { ...smallest.admin, Token: 'env:ADMIN_TOKEN' } }],
    ['signer', 'path', { ...smallest, signer: { ...smallest.signer, path: 'x' } }],
    ['curve', 'spreadBps', { ...smallest, curve: { source: 'manual', spreadBps: 1 } }],
    ['rails', 'maxMoveBPS', { ...smallest, rails: { maxMoveBPS: 5 } }],
    ['chains[0]', 'maxCouponBPS', withChain({ maxCouponBPS: 5 })],
    ['chains[0].domain', 'chainId', withChain({ domain: { chainId: 324 } })],
    ['chains[0].subgraph', 'url', withChain({ subgraph: { urls: ['https://g.example'], url: 'x' } })],
  ])('error: a misspelt or misplaced member of %s is rejected: %s', async (at, member, content) => {
    expect(await faultsOf(content)).toEqual([`${at}: Unrecognized key: "${member}"`])
  })

  test.each([
    ['connectionsMax', 0],
    ['connectionsMax', null],
    ['connectionsMax', 1.5],
    ['connectionsPerAddressMax', 0],
    ['connectionsPerAddressMax', '9'],
    ['lameDuckSeconds', -1],
    ['lameDuckSeconds', 301],
    ['lameDuckSeconds', null],
    ['shutdownSeconds', null],
    ['shutdownSeconds', 601],
  ])('error: listen.%s must be a number in its range, not %s', async (member, value) => {
    const faults = await faultsOf({ ...smallest, listen: { ...smallest.listen, [member]: value } })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(new RegExp(`^listen\\.${member}: `))
  })

  test('default: bounds and lame duck as configured, at their limits', async () => {
    const bounds = { connectionsMax: 1, connectionsPerAddressMax: null, lameDuckSeconds: 0, shutdownSeconds: 1 }
    const { listen } = await load({ ...smallest, listen: { ...smallest.listen, ...bounds } })
    expect(listen).toMatchObject(bounds)
  })

  test('default: a stop may take 20 s after the lame duck time', async () => {
    const { listen } = await load({ ...smallest, listen: { ...smallest.listen, lameDuckSeconds: 300 } })
    expect(listen.shutdownSeconds).toBe(320)
  })

  test('error: a stop may not end within the lame duck time', async () => {
    const listen = { ...smallest.listen, lameDuckSeconds: 10, shutdownSeconds: 10 }
    expect(await faultsOf({ ...smallest, listen })).toEqual([
      'listen: must have "shutdownSeconds" above "lameDuckSeconds", which it includes',
    ])
  })

  test.each([
    ['listen', { ...smallest, listen: {} }],
    ['listen', { ...smallest, listen: { ...smallest.listen, proxy: { trust: ['10.0.0.0/8'] } } }],
  ])('error: %s must have either tls or proxy', async (at, content) => {
    expect(await faultsOf(content)).toEqual([
      `${at}: must have either "tls" (this service terminates TLS) or "proxy" (a trusted proxy does)`,
    ])
  })

  test.each([
    'ten',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::1/129',
    'proxy.internal',
    '',
    '*',
    '10.0.0.0/-1',
  ])('error: not a valid trusted network: %s', async (network) => {
    const listen = { proxy: { trust: ['10.0.0.0/8', network] } }
    expect(await faultsOf({ ...smallest, listen })).toEqual([
      'listen.proxy.trust[1]: must be an IP address or a network such as "10.0.0.0/8"',
    ])
  })

  test('error: a proxy without a trusted network is rejected', async () => {
    expect((await faultsOf({ ...smallest, listen: { proxy: { trust: [] } } }))[0]).toMatch(/^listen\.proxy\.trust: /)
  })

  test.each([
    ['neither', {}],
    ['headers alone', { headers: {} }],
  ])('error: a subgraph must be remote, embedded or both, not %s', async (_, subgraph) => {
    expect(await faultsOf(withChain({ rpc: ['http://127.0.0.1:8545'], subgraph }))).toEqual([
      'chains[0].subgraph: must have "urls", "embedded" or both',
    ])
  })

  test.each([
    ['urls', { urls: ['https://g.example'] }],
    ['embedded', { embedded: { positions } }],
  ])('error: with %s alone there is nothing to prefer', async (prefer, subgraph) => {
    expect(await faultsOf(withChain({ rpc: ['http://127.0.0.1:8545'], subgraph: { ...subgraph, prefer } }))).toEqual([
      'chains[0].subgraph.prefer: must have both "urls" and "embedded" beside it: with one source there is nothing to prefer',
    ])
  })

  test('error: a required preflight needs an RPC, and every fault is listed', async () => {
    const required = { ...smallest, rails: { preflight: 'require' } }
    const fault = 'chains[0].rpc: must have at least one RPC: rails.preflight "require" calls the pool through it'
    expect(await faultsOf(required)).toEqual([fault])
    expect(await faultsOf({ ...required, tenors: [7, 7] })).toEqual(['tenors: contains a tenor twice', fault])
    expect(
      (await load({ ...withChain({ rpc: ['http://127.0.0.1:8545'] }), rails: required.rails })).rails.preflight,
    ).toBe('require')
    expect((await faultsOf({ ...smallest, rails: { preflight: 'always' } }))[0]).toMatch(/^rails\.preflight: /)
  })

  test('error: a repeated chain, a repeated tenor', async () => {
    const [only] = smallest.chains
    expect(await faultsOf({ ...smallest, chains: [only, { ...only, id: 1 }, only, only] })).toEqual([
      'chains[2].id: chain 324 is configured twice',
      'chains[3].id: chain 324 is configured twice',
    ])
    expect(await faultsOf({ ...smallest, tenors: [7, 14, 7] })).toEqual(['tenors: contains a tenor twice'])
    expect((await faultsOf({ ...smallest, chains: [] }))[0]).toMatch(/^chains: /)
    expect((await faultsOf({ ...smallest, tenors: [] }))[0]).toMatch(/^tenors: /)
    expect(await faultsOf(withChain({ tenors: [7, 7] }))).toEqual(['chains[0].tenors: contains a tenor twice'])
    for (const tenors of [[], [0], [3651], [7.5], 7]) {
      expect((await faultsOf(withChain({ tenors })))[0]).toMatch(/^chains\[0\]\.tenors/)
    }
  })

  test.each([
    'http://explorer.example',
    'https://user:secret-password@explorer.example',
    'https://explorer.example/?key=1',
    'https://explorer.example/#tx',
    'explorer.example',
    'env:EXPLORER',
    '',
  ])('error: the explorer %j', async (explorer) => {
    expect(await faultsOf(withChain({ explorer }))).toEqual([
      'chains[0].explorer: must be an https URL without a user name, password, query or fragment in it',
    ])
  })

  test.each([
    'http://rpc.example',
    'https://user:secret-password@rpc.example',
    'https://rpc.example/?key=1',
    'ws://localhost',
    'env:RPC',
  ])('error: the public RPC %j', async (url) => {
    expect(await faultsOf(withChain({ publicRpc: [url] }))).toEqual([
      'chains[0].publicRpc[0]: must be an https URL without a user name, password, query or fragment in it: every visitor sees it',
    ])
  })

  test.each(['E', 'DOLLARS', 'Ξ', ''])('error: the currency %j', async (currency) => {
    expect(await faultsOf(withChain({ currency }))).toEqual(['chains[0].currency: must be 2 to 6 letters or digits'])
  })

  test('error: the version of the domain must be a string', async () => {
    expect(await faultsOf(withChain({ domain: { version: 1 } }))).toEqual([
      'chains[0].domain.version: must be a string: a number would change the hash',
    ])
  })

  test('error: an address with a wrong checksum', async () => {
    expect(await faultsOf(withChain({ pool: pool.replace('EBF', 'eBF') }))).toEqual([
      'chains[0].pool: must be an address: 0x and 40 hex digits, with a valid checksum if mixed case',
    ])
  })

  test('default: the treasury as a source', async () => {
    const curve = { source: 'treasury', basis: 'discount', spreadBps: -100 }
    expect((await load({ ...smallest, curve })).curve).toEqual({
      ...curve,
      url: 'https://home.treasury.gov/resource-center/data-chart-center/interest-rates/pages/xml',
      maxAgeBusinessDays: 2,
      timeoutMs: 10_000,
    })
    const full = { ...curve, url: 'http://127.0.0.1:1/xml', bills: [4, 52], maxAgeBusinessDays: 5, timeoutMs: 100 }
    expect((await load({ ...smallest, curve: full })).curve).toEqual(full)
  })

  test('default: SOFR as a second source, and invalid ones', async () => {
    const curve = { source: 'treasury', basis: 'discount', spreadBps: 0, plausibility: { source: 'sofr', bandBps: 75 } }
    expect((await load({ ...smallest, curve })).curve).toMatchObject({
      plausibility: {
        ...curve.plausibility,
        url: 'https://markets.newyorkfed.org/api/rates/secured/sofr/last/1.json',
        maxAgeBusinessDays: 5,
      },
    })
    const plausibility = { source: 'sofr', bandBps: 0, url: 'ftp://fed.example', maxAgeBusinessDays: 31, band: 1 }
    const faults = await faultsOf({ ...smallest, curve: { ...curve, plausibility } })
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'curve.plausibility.bandBps',
      'curve.plausibility.url',
      'curve.plausibility.maxAgeBusinessDays',
      'curve.plausibility',
    ])
  })

  test('error: invalid treasury settings', async () => {
    const curve = { source: 'treasury', basis: 'coupon', url: 'https://a:b@treasury.example', bills: [4, 5, 4] }
    const faults = await faultsOf({ ...smallest, curve: { ...curve, maxAgeBusinessDays: 0, timeoutMs: 1, tenor: 1 } })
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'curve.basis',
      'curve.spreadBps',
      'curve.url',
      'curve.bills[1]',
      'curve.bills',
      'curve.maxAgeBusinessDays',
      'curve.timeoutMs',
      'curve',
    ])
  })

  test('error: an unknown kind of signer, an unknown curve source', async () => {
    const faults = await faultsOf({ ...smallest, signer: { kind: 'kms' }, curve: { source: 'oracle' } })
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['signer.kind', 'curve.source'])
  })

  test('behavior: the limits of each range are accepted', async () => {
    const config = await load({
      ...withChain({ maxCouponBps: 10_000, minMaturitySeconds: 0, id: Number.MAX_SAFE_INTEGER }),
      listen: { ...smallest.listen, port: 0 },
      admin: { ...smallest.admin, port: 65_535 },
      tenors: [1, 3650],
      rails: { maxMoveBps: 10_000, signAheadSeconds: 21_600 },
    })
    expect(config.tenors).toEqual([1, 3650])
  })
})

describe('certificate and key', () => {
  const listen = (cert: string, key: string) => ({ ...smallest, listen: { tls: { cert, key } } })

  test.each([
    [
      'a missing certificate',
      'missing.pem',
      'key.pem',
      'listen.tls.cert: <folder>/missing.pem cannot be read (ENOENT)',
    ],
    ['a missing key', 'cert.pem', 'missing.pem', 'listen.tls.key: <folder>/missing.pem cannot be read (ENOENT)'],
    ['a directory', '.', 'key.pem', 'listen.tls.cert: <folder> cannot be read (EISDIR)'],
    ['no PEM', 'text.pem', 'key.pem', 'listen.tls.cert: <folder>/text.pem contains no PEM certificate'],
    [
      'no key',
      'cert.pem',
      'text.pem',
      'listen.tls.key: <folder>/text.pem contains no PEM private key, or the key of another certificate',
    ],
    [
      'the key of another certificate',
      'cert.pem',
      'other-key.pem',
      'listen.tls.key: <folder>/other-key.pem contains no PEM private key, or the key of another certificate',
    ],
    ['the two exchanged', 'key.pem', 'cert.pem', 'listen.tls.cert: <folder>/key.pem contains no PEM certificate'],
  ])('error: %s', async (_, cert, key, fault) => {
    expect(await faultsOf(listen(cert, key))).toEqual([fault])
  })

  test('error: two missing files are both listed', async () => {
    expect(await faultsOf(listen('a.pem', 'b.pem'))).toEqual([
      'listen.tls.cert: <folder>/a.pem cannot be read (ENOENT)',
      'listen.tls.key: <folder>/b.pem cannot be read (ENOENT)',
    ])
  })

  test('behavior: absolute paths are not changed', async () => {
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
    expect((await load(listen(files.cert, files.key))).listen.tls).toEqual(files)
  })
})

describe('secrets', () => {
  const token = (reference: unknown) => ({ ...smallest, admin: { token: reference } })

  test('default: from a file next to the configuration, without its line end', async () => {
    expect((await load(token('file:token'))).admin.token?.reveal()).toBe('secret-from-a-file')
    expect((await load(token(`file:${join(folder, 'token')}`))).admin.token?.reveal()).toBe('secret-from-a-file')
  })

  test('behavior: admin tokens with names and roles, with or without admin.token', async () => {
    const tokens = [
      { name: 'grafana', token: 'file:token', roles: ['metrics'] },
      { name: 'ann@ops', token: 'env:SIGNER_KEY', roles: ['all'] },
    ]
    const both = await load({ ...smallest, admin: { token: 'env:ADMIN_TOKEN', tokens } })
    expect(listAdminTokens(both.admin).map(({ name, roles }) => [name, ...roles])).toEqual([
      ['admin', 'all'],
      ['grafana', 'metrics'],
      ['ann@ops', 'all'],
    ])
    expect(chooseAdminToken(both.admin, {})).toBe(env.ADMIN_TOKEN)
    const { admin } = await load({ ...smallest, admin: { tokens } })
    expect(chooseAdminToken(admin, {})).toBe(env.SIGNER_KEY)
    expect(chooseAdminToken(admin, { TALLYSTICK_ADMIN_TOKEN: 'own' })).toBe('own')
  })

  test('error: admin tokens that share a name or a value, have no roles, or of which none has the role all', async () => {
    const first = { name: 'ann', token: 'file:token', roles: ['keys'] }
    const other = { ...first, name: 'bob', token: 'env:SIGNER_KEY' }
    const faults = async (admin: object) => faultsOf({ ...smallest, admin })
    const missing = ['admin.token: is required unless one of "tokens" has the role "all"']
    expect(await faults({})).toEqual(missing)
    expect(await faults({ tokens: [first, other] })).toEqual(missing)
    const token = 'env:ADMIN_TOKEN'
    expect(await faults({ token, tokens: [first, { ...other, name: 'ANN' }] })).toEqual([
      'admin.tokens[1].name: is used twice',
    ])
    expect(await faults({ token, tokens: [{ ...first, name: 'admin' }] })).toEqual([
      'admin.tokens[0].name: is used twice',
    ])
    expect(await faults({ token, tokens: [first, { ...other, token }] })).toEqual([
      'admin.tokens[1].token: is also the token of another name',
    ])
    const hostile = [
      { name: 'local', token: 'env:SIGNER_KEY', roles: [] },
      { name: 'a:b', token: 'x', roles: ['root'] },
      null,
    ]
    expect((await faults({ token, tokens: hostile })).map((fault) => fault.split(':')[0])).toEqual([
      'admin.tokens[0].name',
      'admin.tokens[0].roles',
      'admin.tokens[1].name',
      'admin.tokens[1].token',
      'admin.tokens[1].roles[0]',
      'admin.tokens[2]',
    ])
  })

  test.each(['hunter2', '', 'ENV:ADMIN_TOKEN', 'env:', 'file:', ' env:ADMIN_TOKEN', '$ADMIN_TOKEN'])(
    'error: a literal secret is rejected and not quoted: %j',
    async (literal) => {
      const faults = await faultsOf(token(literal))
      expect(faults).toEqual(['admin.token: must be "env:NAME" or "file:path": secrets do not belong in this file'])
    },
  )

  test.each([
    ['env:NOT_SET', 'admin.token: the variable NOT_SET is not set'],
    ['env:EMPTY', 'admin.token: the variable EMPTY is not set'],
    ['file:missing', 'admin.token: <folder>/missing cannot be read (ENOENT)'],
    ['file:empty', 'admin.token: <folder>/empty is empty'],
    ['file:.', 'admin.token: <folder> cannot be read (EISDIR)'],
  ])('error: a missing secret: %s', async (reference, fault) => {
    expect(await faultsOf(token(reference))).toEqual([fault])
  })

  test('error: each missing secret is listed', async () => {
    const content = { ...example, signer: { kind: 'keystore', path: 'k.json', password: 'env:KEYSTORE_PASSWORD' } }
    expect(await faultsOf(content, { env: {} })).toEqual([
      'admin.token: the variable ADMIN_TOKEN is not set',
      'signer.password: the variable KEYSTORE_PASSWORD is not set',
      'chains[0].subgraph.headers.authorization: the variable GRAPH_AUTH is not set',
    ])
  })

  test('behavior: the operator’s commands need no secrets, certificate or key', async () => {
    const content = { ...example, listen: { tls: { cert: 'missing.pem', key: 'missing.pem' } } }
    const config = await load(content, { env: {}, secrets: 'optional' })
    expect(config.admin.token?.reveal()).toBe('')
    expect(config.listen.tls?.cert).toBe(join(folder, 'missing.pem'))
  })

  test('error: the operator’s commands reject literal secrets and other faults', async () => {
    const faults = await faultsOf({ ...token('hunter2'), tenors: [0] }, { env: {}, secrets: 'optional' })
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['admin.token', 'tenors[0]'])
  })

  const shown = (config: Config) =>
    [
      JSON.stringify(config),
      inspect(config, { depth: null, showHidden: true, getters: true }),
      String(config.admin.token),
      `${inspect(config.signer)}`,
    ].join('\n')

  test.each([
    ['private-key', example.signer],
    ['keystore', { kind: 'keystore', path: 'k.json', password: 'env:KEYSTORE_PASSWORD' }],
  ])('behavior: a printed configuration shows no secret: %s', async (_, signer) => {
    const text = shown(await load({ ...example, signer }))
    expect(text).toContain('zkSync Era')
    for (const secret of [env.ADMIN_TOKEN, env.SIGNER_KEY.slice(2), env.KEYSTORE_PASSWORD, 'secret-graph-token']) {
      expect(text).not.toContain(secret)
    }
  })

  test('behavior: a printed configuration does not show the password of the database', async () => {
    const text = shown(await load({ ...example, database: 'env:DATABASE_URL' }))
    expect(text).not.toContain('secret-database-password')
  })

  test('error: an error shows no secret', async () => {
    const error = await failureOf({ ...example, database: 'env:ADMIN_TOKEN', tenors: [] })
    const text = inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error)
    for (const secret of Object.values(env).filter((value) => value !== '')) expect(text).not.toContain(secret)
  })
})

describe('database', () => {
  test.each([
    ['postgres://u:p@db/tallystick', 'postgres://u:p@db/tallystick'],
    ['postgresql://db', 'postgresql://db'],
    ['env:DATABASE_URL', env.DATABASE_URL],
    ['file:/var/lib/tallystick', 'file:/var/lib/tallystick'],
    ['file:///var/lib/tallystick', 'file:/var/lib/tallystick'],
  ])('default: %s', async (database, expected) => {
    expect((await load({ ...smallest, database })).database.reveal()).toBe(expected)
  })

  test.each(['file:db', 'file:./db', 'file:sub/../db'])('behavior: %s is relative to the file', async (database) => {
    expect((await load({ ...smallest, database })).database.reveal()).toBe(`file:${join(folder, 'db')}`)
  })

  test('behavior: a directory in a variable is relative to the file too', async () => {
    const config = await load({ ...smallest, database: 'env:DB' }, { env: { ...env, DB: 'file:db' } })
    expect(config.database.reveal()).toBe(`file:${join(folder, 'db')}`)
  })

  test.each(['env:NOT_SET', 'env:EMPTY'])('error: a variable that is not set is reported: %s', async (database) => {
    expect(await faultsOf({ ...smallest, database })).toEqual([
      `database: the variable ${database.slice('env:'.length)} is not set`,
    ])
  })

  // Each of these characters starts another part of a URL, so that the text before it is not a valid port.
  test.each(['a/b', 'a#b', 'a?b'])(
    'error: a password that is not percent-encoded, %s, is reported and not quoted',
    async (password) => {
      const [fault, ...others] = await faultsOf({ ...smallest, database: `postgres://u:${password}@db/tallystick` })
      expect(others).toEqual([])
      expect(fault).toBe(
        'database: is not a valid URL: percent-encode special characters in the password, such as %2F for a slash',
      )
    },
  )

  test.each(['', 'db', 'file:', 'postgres://', 'mysql://db', 'env:ADMIN_TOKEN', 'env:'])(
    'error: %j is not a database URL',
    async (database) => {
      expect(await faultsOf({ ...smallest, database })).toEqual([
        'database: must be "postgres://…", "file:<directory>", or "env:NAME" of a variable that contains one of them',
      ])
    },
  )
})

describe('the file itself', () => {
  test('error: a missing file', () => {
    const missing = join(folder, 'missing.json')
    expect(() => loadConfig(missing, { env, secrets: 'required' })).toThrow(
      `There is no configuration file ${missing}. Write one with \`tallystick init\`, or set its path with --config.`,
    )
  })

  test.each([
    ['half of it', '{ "listen": '],
    ['nothing', ''],
    ['a comment', '{} // none'],
  ])('error: a file with %s is not JSON', async (_, content) => {
    const { message } = await failureOf(content)
    expect(message).toMatch(/ is not JSON( at position \d+.*)?\.$/)
    expect(message.startsWith(path)).toBe(true)
  })

  test('error: a secret in a file that is not JSON is not quoted', async () => {
    const quoteMissing = await failureOf('{ "admin": { "token": hunter2-hunter2, "port": 1 } }')
    expect(quoteMissing.message).not.toContain('hunter2')
    const commaMissing = await failureOf('{ "admin": { "token": "hunter2-hunter2" "port": 1 } }')
    expect(commaMissing.message).not.toContain('hunter2')
  })
})

const variables = env

describe('URLs that may be secrets', () => {
  const key = '0123456789abcdef0123456789abcdef'
  const withUrl = (url: string) => withChain({ rpc: [url], subgraph: { urls: [url] } })

  test('default: as plain text, from a variable and from a file', async () => {
    await writeFile(join(folder, 'rpc-url'), `https://rpc.example/v3/${key}\n`)
    const env = { ...variables, RPC_URL: `https://rpc.example/${key}` }
    const urlOf = async (url: string) => (await load(withUrl(url), { env })).chains[0]
    for (const [url, found] of [
      ['https://rpc.example', 'https://rpc.example'],
      ['env:RPC_URL', env.RPC_URL],
      ['file:rpc-url', `https://rpc.example/v3/${key}`],
    ] as const) {
      expect(await urlOf(url)).toMatchObject({ rpc: [found], subgraph: { urls: [found] } })
    }
  })

  test('error: a variable that is not set or contains no URL is reported without its value', async () => {
    expect(await faultsOf(withChain({ rpc: ['env:RPC_URL'] }))).toEqual([
      'chains[0].rpc[0]: the variable RPC_URL is not set',
    ])
    const env = { ...variables, RPC_URL: `rpc.example/${key}` }
    const faults = await faultsOf(withChain({ rpc: ['env:RPC_URL', `ftp://${key}`] }), { env })
    expect(faults).toEqual([
      'chains[0].rpc[0]: the value of RPC_URL must be an http or https URL without a user name or password in it',
      'chains[0].rpc[1]: must be an http or https URL without a user name or password in it, or "env:NAME" or "file:path" of one',
    ])
  })

  test('behavior: a command that needs no RPC does not need the variable', async () => {
    const embedded = { embedded: { positions: pool } }
    const config = await load(withChain({ rpc: ['env:RPC_URL'], subgraph: embedded }), { secrets: 'optional' })
    expect(config.chains[0]?.rpc).toEqual(['https://url-is-not-set.invalid'])
  })
})

describe('a key in a KMS', () => {
  const aws = {
    kind: 'aws-kms',
    keyId: 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  }
  const gcp = {
    kind: 'gcp-kms',
    key: 'projects/notes-1/locations/europe-west3/keyRings/notes/cryptoKeys/signer/cryptoKeyVersions/1',
  }

  test('default: AWS, with a key id, an alias or an ARN', async () => {
    for (const keyId of [aws.keyId, '1234abcd-12ab-34cd-56ef-1234567890ab', 'mrk-1234', 'alias/notes/main']) {
      expect((await load({ ...smallest, signer: { ...aws, keyId } })).signer).toMatchObject({ keyId })
    }
    const all = { ...aws, region: 'us-gov-west-1', endpoint: 'https://kms.example', address: pool.toLowerCase() }
    expect((await load({ ...smallest, signer: all })).signer).toMatchObject({ ...all, address: pool })
  })

  test('default: Google, with its credentials as a secret and the metadata host of the environment', async () => {
    const credentials = { ...gcp, credentials: 'env:GRAPH_AUTH', endpoint: 'http://127.0.0.1:8085' }
    const config = await load({ ...smallest, signer: credentials })
    expect(config.signer).toMatchObject({ key: gcp.key, endpoint: 'http://127.0.0.1:8085', metadataHost: undefined })
    expect(JSON.stringify(config)).not.toContain(env.GRAPH_AUTH)
    const machine = { env: { ...env, GCE_METADATA_HOST: '10.0.0.1:8080' } }
    const onMachine = await load(withChain({ signer: gcp }), machine)
    expect(onMachine.chains[0]?.signer).toMatchObject({ kind: 'gcp-kms', metadataHost: '10.0.0.1:8080' })
  })

  test.each([
    ['an AWS key that is none', { ...aws, keyId: 'a key' }, 'signer.keyId'],
    ['an AWS key of another service', { ...aws, keyId: 'arn:aws:s3:eu-central-1:1:key/a' }, 'signer.keyId'],
    ['credentials of AWS', { ...aws, secretAccessKey: 'env:X' }, 'signer'],
    ['a region that is none', { ...aws, region: 'Frankfurt' }, 'signer.region'],
    ['an endpoint without TLS', { ...aws, endpoint: 'http://kms.example' }, 'signer.endpoint'],
    ['an endpoint with a password', { ...gcp, endpoint: 'https://u:p@kms.example' }, 'signer.endpoint'],
    ['a Google key without its version', { ...gcp, key: gcp.key.replace(/\/cryptoKeyVersions.*/, '') }, 'signer.key'],
    ['a Google key that leaves its path', { ...gcp, key: gcp.key.replace('notes-1', '../x') }, 'signer.key'],
    ['credentials in the file itself', { ...gcp, credentials: '{}' }, 'signer.credentials'],
    ['an address that is none', { ...gcp, address: '0x12' }, 'signer.address'],
  ])('error: %s', async (_, signer, path) => {
    const faults = await faultsOf({ ...smallest, signer })
    expect(faults).toEqual([expect.stringContaining(path)])
  })
})

describe('a Web3Signer behind TLS', () => {
  const signer = { kind: 'web3signer', url: 'https://signer.example', address: pool }

  test('default: files, authority and headers', async () => {
    const tls = { cert: 'cert.pem', key: 'key.pem', ca: 'cert.pem' }
    const config = await load({ ...smallest, signer: { ...signer, tls, headers: { 'x-token': 'env:GRAPH_AUTH' } } })
    expect(config.signer).toMatchObject({ tls: { cert: join(folder, 'cert.pem'), ca: join(folder, 'cert.pem') } })
    expect(JSON.stringify(config)).not.toContain(env.GRAPH_AUTH)
  })

  test.each([
    [
      'half a pair',
      { ...signer, tls: { cert: 'cert.pem' } },
      'signer.tls: must have both "cert" and "key", or neither',
    ],
    [
      'no authority',
      { ...signer, tls: { ca: 'none.pem' } },
      'signer.tls.ca: <folder>/none.pem cannot be read (ENOENT)',
    ],
    [
      'a key as authority',
      { ...signer, tls: { ca: 'key.pem' } },
      'signer.tls.ca: <folder>/key.pem contains no PEM certificate',
    ],
    [
      'plain HTTP',
      { ...signer, url: 'http://signer.example', tls: {} },
      'signer.url: must be an https URL: "tls" has no effect over http',
    ],
    [
      'a header in the open',
      { ...signer, headers: { 'x-token': 'Bearer x' } },
      'signer.headers.x-token: must be "env:NAME" or "file:path": secrets do not belong in this file',
    ],
  ])('error: %s', async (_, changed, fault) => {
    expect(await faultsOf({ ...smallest, signer: changed })).toEqual([fault])
  })
})
