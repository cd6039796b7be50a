import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { chain324, createDeferrals, newDatabase, pool, signerAddress, start, type TestService } from './harness.ts'

const page = '<!doctype html><title>page</title>'
const script = 'export const answer = 42'

/** Creates a built page with the layout of the portal's build, and other files that must not be served. */
async function buildPage(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-page-'))
  await mkdir(join(directory, 'assets'))
  const assets = { 'assets/portal-ABC.js': script, 'assets/style-ABC.css': 'h1{}', 'assets/notes.txt': 'no' }
  const files = { 'index.html': page, ...assets, 'build.json': '{}' }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text)
    await writeFile(join(directory, `${name}.br`), brotliCompressSync(text))
    await writeFile(join(directory, `${name}.gz`), gzipSync(text))
  }
  return directory
}

/** Returns the raw bytes of a response. */
async function fetchBytes(service: TestService, { path, encoding }: { path: string; encoding: string }) {
  const session = connect(service.baseUrl, { ca: service.ca })
  const stream = session.request({ ':path': path, 'accept-encoding': encoding })
  const chunks: Buffer[] = []
  let contentEncoding: unknown
  stream.on('response', (headers) => {
    contentEncoding = headers['content-encoding']
  })
  for await (const chunk of stream) chunks.push(chunk)
  session.close()
  return { contentEncoding, body: Buffer.concat(chunks) }
}

describe('the page', () => {
  let service: TestService
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    const directory = await buildPage()
    defer(() => rm(directory, { recursive: true, force: true }))
    service = await start({ databaseUrl: await newDatabase('postgres', defer), portal: { directory } }, defer)
    return finish
  })

  test('default: is public, with a strict Content-Security-Policy', async () => {
    const answer = await service.call('/')
    expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([
      200,
      page,
      'text/html; charset=utf-8',
    ])
    expect(answer.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })

  test('behavior: its assets are immutable and have ETags', async () => {
    const first = await service.call('/assets/portal-ABC.js')
    expect([first.status, first.body]).toEqual([200, script])
    expect(first.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const etag = first.headers.etag as string
    const again = await service.call('/assets/portal-ABC.js', { headers: { 'if-none-match': etag } })
    expect([again.status, again.body]).toEqual([304, ''])
    const head = await service.call('/assets/portal-ABC.js', { method: 'HEAD' })
    expect([head.status, head.body, head.headers.etag]).toEqual([200, '', etag])
  })

  test.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
    ['BR', 'br', brotliDecompressSync],
  ])('behavior: accept-encoding %s gets %s', async (encoding, expected, decode) => {
    const { contentEncoding, body } = await fetchBytes(service, { path: '/assets/portal-ABC.js', encoding })
    expect([contentEncoding, decode(body).toString()]).toEqual([expected, script])
  })

  test.each([
    '/assets/notes.txt',
    '/assets/portal-ABC.js.br',
    '/assets/',
    '/assets/..%2findex.html',
    '/assets/%2e%2e%2fbuild.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/....//build.json',
    '/assets/__proto__',
    '/build.json',
    '/index.html',
  ])('error: %s is not found', async (path) => {
    const answer = await service.call(path)
    expect([answer.status, answer.json().code]).toEqual([404, 'not_found'])
  })

  test('behavior: the path of a view is served with the page, with any segment and query', async () => {
    const paths = [
      '/lend?chainid=324&maturity=7',
      '/history?days=30&chain=324',
      '/wallet',
      '/wallet/',
      `/wallet/${pool}`,
      '/wallet/name.eth?a=%00',
      '/wallet/<script>alert(1)<%2Fscript>',
      '/wallet/%00',
      '/wallet/..%2f..%2fbuild.json',
      '/wallet/__proto__',
      `/wallet/${'a'.repeat(5_000)}`,
      '/verify',
      '/explorer?query=%7B_meta%7Bblock%7Bnumber%7D%7D%7D&chains=324',
      '/docs',
      '/docs/first-note',
      '/docs/no-such-page',
      '/docs/<script>alert(1)<%2Fscript>',
    ]
    for (const path of paths) {
      const answer = await service.call(path)
      expect([path, answer.status, answer.body]).toEqual([path, 200, page])
      expect(answer.headers['content-security-policy']).toContain("script-src 'self'")
    }
  })

  test.each([
    ['/wallet/a/b', 404],
    ['/history/', 404],
    ['/verify/a', 404],
    ['/explorer.html', 404],
    ['/docs/a/b', 404],
    ['/docs.html', 404],
    ['/docs/%', 400],
    ['/overview', 404],
    ['/wallet/%', 400],
    ['/wallet/%ff', 400],
  ])('error: %s is not a view', async (path, status) => {
    const answer = await service.call(path)
    expect([answer.status, answer.json().code]).toEqual([status, status === 404 ? 'not_found' : 'invalid_request'])
  })

  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

  test('error: a browser’s wrong path gets a page with a way home, in the look of the product', async () => {
    const hostile = '/<script>alert(1)<%2Fscript>?a=<img%20src=x>'
    for (const path of ['/nothing', '/history/', '/wallet/a/b', '/notes/', '/assets/none.js', '/%2e%2e/x', hostile]) {
      const { status, headers, body } = await service.call(path, { headers: { accept: browser } })
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect([headers['cache-control'], headers['vary']]).toEqual(['no-store', 'accept'])
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(body).toContain('<a class="primary" href="/">')
      expect(body).toContain('<link rel="stylesheet" href="/assets/style-ABC.css">')
      expect(body).not.toMatch(/alert|img%20|nothing|none\.js/)
    }
    for (const path of ['/wallet/%', '/%ff']) {
      const { status, headers } = await service.call(path, { headers: { accept: browser } })
      expect([status, headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
    }
    const head = await service.call('/nothing', { method: 'HEAD', headers: { accept: browser } })
    expect([head.status, head.headers['content-type'], head.body]).toEqual([404, 'text/html; charset=utf-8', ''])
  })

  test('error: programs get JSON from a wrong path, and everybody from the API', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json', 'text/csv', '']) {
      const { status, json } = await service.call('/nothing', { headers: accept === undefined ? {} : { accept } })
      expect([accept, status, json().code]).toEqual([accept, 404, 'not_found'])
    }
    const answers = await Promise.all([
      service.call('/notes', { headers: { accept: browser } }),
      service.call('/history/notes', { headers: { accept: browser } }),
      service.call('/data', { headers: { accept: browser } }),
      service.call('/calendar?days=0', { headers: { accept: browser } }),
      service.call('/nothing', { method: 'POST', headers: { accept: browser } }),
    ])
    expect(answers.map(({ status, json }) => [status, json().code])).toEqual([
      ...[
        [403, 'invalid_api_key'],
        [403, 'invalid_api_key'],
        [403, 'invalid_api_key'],
      ],
      ...[
        [400, 'invalid_parameter'],
        [404, 'not_found'],
      ],
    ])
  })

  test('error: over HTTP/2 a browser gets the same page', async () => {
    const session = connect(service.baseUrl, { ca: service.ca })
    const stream = session.request({ ':path': '/nothing', accept: browser })
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.on('response', resolve))
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    session.close()
    expect([headers[':status'], headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(String(Buffer.concat(chunks))).toBe((await service.call('/nothing', { headers: { accept: browser } })).body)
  })

  test('error: accepts only GET', async () => {
    const answer = await service.call('/', { method: 'DELETE' })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test('default: /portal.json contains public data and no key', async () => {
    const answer = await service.call('/portal.json')
    expect(answer.json()).toEqual({
      chains: [
        {
          id: 324,
          name: 'zkSync Era',
          pool,
          domain: { name: 'NoteSignatureVerifier', version: '1' },
          signer: signerAddress,
          hasData: false,
          publicRpc: [],
          currency: 'ETH',
        },
      ],
      ens: false,
    })
    expect(answer.headers['cache-control']).toBe('no-store')
  })
})

describe('a service whose page may be framed', () => {
  const ancestors = ['https://app.safe.global', 'http://localhost:3000']

  test('behavior: only the page names the ancestors, and a manifest is there for every origin', async () => {
    const directory = await buildPage()
    await writeFile(join(directory, 'assets/icon-ABC.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const config = { portal: { frameAncestors: ancestors } }
    const service = await start({ databaseUrl: await newDatabase(), portal: { directory }, config })
    const policyOf = async (path: string) => (await service.call(path)).headers['content-security-policy']
    for (const path of ['/', '/lend', '/docs']) {
      expect(await policyOf(path)).toMatch(/; frame-ancestors https:\/\/app\.safe\.global http:\/\/localhost:3000$/)
    }
    for (const path of [
      '/assets/portal-ABC.js',
      '/portal.json',
      '/openapi.json',
      '/notes',
      '/manifest.json',
      '/none',
    ]) {
      expect(await policyOf(path)).toMatch(/; frame-ancestors 'none'$/)
    }
    const info = await service.call('/portal.json')
    expect(info.json().frameAncestors).toEqual(ancestors)
    expect(info.headers['x-frame-options']).toBeUndefined()
    const manifest = await service.call('/manifest.json', { headers: { origin: 'https://app.safe.global' } })
    expect(manifest.headers['access-control-allow-origin']).toBe('*')
    const { name, description, iconPath } = manifest.json()
    expect([name, typeof description, iconPath]).toEqual(['Tallystick', 'string', 'assets/icon-ABC.svg'])
    expect((await service.call(`/${iconPath}`)).headers['content-type']).toBe('image/svg+xml')
  })

  test('default: nothing may frame the page, and there is no manifest', async () => {
    const service = await start({ databaseUrl: await newDatabase() })
    expect((await service.call('/')).headers['content-security-policy']).toMatch(/frame-ancestors 'none'$/)
    expect((await service.call('/manifest.json')).status).toBe(404)
    expect((await service.call('/portal.json')).json()).not.toHaveProperty('frameAncestors')
  })

  test('error: a service without the page has no manifest, and its documentation cannot be framed', async () => {
    const portal = { directory: join(tmpdir(), 'there-is-no-such-directory') }
    const config = { portal: { frameAncestors: ancestors } }
    const service = await start({ databaseUrl: await newDatabase(), portal, config })
    expect((await service.call('/manifest.json')).status).toBe(404)
    expect((await service.call('/docs')).headers['content-security-policy']).toMatch(/frame-ancestors 'none'$/)
  })
})

describe('a service without the page', () => {
  test('default: works, and / is not found, like any unknown path', async () => {
    const directory = join(tmpdir(), 'there-is-no-such-directory')
    const service = await start({ databaseUrl: await newDatabase(), portal: { directory } })
    for (const path of ['/', '/assets/portal-ABC.js']) {
      const answer = await service.call(path)
      expect([answer.status, answer.json().code]).toEqual([404, 'not_found'])
    }
    const wrong = await service.call('/', { headers: { accept: 'text/html, */*;q=0.8' } })
    expect([wrong.status, wrong.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(wrong.body).toContain('<a href="/docs">')
    expect(wrong.body).not.toMatch(/stylesheet|href="\/"/)
    const headers = { 'content-type': 'application/json' }
    const wallet = await service.call('/sandbox/wallet/324', { method: 'POST', headers, body: '{}' })
    expect([wallet.status, wallet.json().code]).toEqual([404, 'not_found'])
    const posted = await service.call('/', { method: 'POST' })
    expect(posted.status).toBe(404)
    // The documentation is part of the page. Its address still leads somewhere.
    for (const path of ['/docs', '/docs/lend']) {
      const docs = await service.call(path)
      expect([docs.status, docs.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(docs.body).toContain('<a href="/openapi.json">')
      expect(docs.headers['content-security-policy']).toMatch(/^default-src 'none';/)
    }
  })

  test('behavior: /portal.json contains the visitor’s key and wallets if they are given', async () => {
    const visitor = { apiKey: 'tsk_test_given', wallets: [pool] } as const
    const service = await start({ databaseUrl: await newDatabase(), portal: { visitor } })
    expect((await service.call('/portal.json')).json().visitor).toEqual(visitor)
    expect(service.log()).not.toContain('tsk_test_given')
  })

  test('behavior: a test wallet answers on its chains only, and a service without one has no route', async () => {
    const answer = (chainId: string, call: unknown) =>
      chainId === '324' ? Promise.resolve({ id: 1, result: call }) : undefined
    const visitor = { apiKey: 'tsk_test_given', wallets: [pool] } as const
    const portal = { visitor, testWallet: { address: pool, answer } } as const
    const chains = [{ ...chain324, rpc: [], publicRpc: ['https://rpc.example'], currency: 'POL' }]
    const service = await start({ databaseUrl: await newDatabase(), portal, config: { chains } })
    const info = (await service.call('/portal.json')).json()
    expect(info.visitor.wallet).toEqual({ address: pool, rpcPath: '/sandbox/wallet' })
    expect(info.chains[0]).toMatchObject({ publicRpc: ['https://rpc.example'], currency: 'POL' })
    const post = (path: string, body: string, type = 'application/json') =>
      service.call(path, { method: 'POST', headers: { 'content-type': type }, body })
    const good = await post('/sandbox/wallet/324', '{"method":"eth_chainId"}')
    expect([good.status, good.json().result]).toEqual([200, { method: 'eth_chainId' }])
    expect((await post('/sandbox/wallet/1', '{}')).json().code).toBe('not_found')
    // Pages of other sites can send text without a preflight request.
    expect((await post('/sandbox/wallet/324', '{}', 'text/plain')).status).toBe(415)
    expect((await post('/sandbox/wallet/324', '{')).status).toBe(400)
  })

  test('error: is limited per address', async () => {
    const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' }, publicRpm: 2 }
    const service = await start({ databaseUrl: await newDatabase(), config: { listen } })
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await service.call('/portal.json')).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})
