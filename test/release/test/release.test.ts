// @module-tag slow
import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { sendRequest } from '@tallystick/workbench/send-request'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloneAgain, type Rehearsal, rehearseVersion, runScript } from '../make-release.ts'
import { createStranger, type Stranger } from '../stranger.ts'

const guide = readFileSync(fileURLToPath(new URL('../../../docs/releasing.md', import.meta.url)), 'utf8')
const commands = /## Verifying a release[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
// The image has a test of its own.
const options = ['--no-image']

let rehearsal: Rehearsal
let release: string
let again: string

beforeAll(async () => {
  rehearsal = await rehearseVersion()
  const { repository, version, signingKey } = rehearsal
  const build = ['scripts/release/run.ts', version, ...options, '--key', signingKey]
  const second = cloneAgain(repository)
  // Everything that a second machine could have otherwise: path, time zone, language, modes of new files.
  const otherwise = { umask: '077', TZ: 'Pacific/Auckland', LC_ALL: 'tr_TR.UTF-8' }
  await Promise.all([runScript(repository, build), runScript(second, build, otherwise)])
  release = join(repository, 'release')
  again = join(second, 'release')
})

test('default: a release has the packages, a bill of materials for each, sums and their signature', () => {
  const { version } = rehearsal
  const names = ['tallystick', 'tallystick-client', 'tallystick-sandbox']
  const files = names.flatMap((name) => [`${name}-${version}.cdx.json`, `${name}-${version}.tgz`])
  expect(readdirSync(release).sort()).toEqual(['SHA256SUMS', 'SHA256SUMS.sig', ...files.sort()])
  const tag = execFileSync('git', ['cat-file', 'tag', `v${version}`], { cwd: rehearsal.repository, encoding: 'utf8' })
  expect(tag).toContain(`Tallystick ${version}`)
})

test('behavior: the same commit gives the same bytes at another path, in another language and with other modes', () => {
  const read = (directory: string, name: string) => readFileSync(join(directory, name), 'utf8')
  expect(read(again, 'SHA256SUMS')).toBe(read(release, 'SHA256SUMS'))
  expect(read(again, 'SHA256SUMS.sig')).toBe(read(release, 'SHA256SUMS.sig'))
})

test('behavior: the documented commands accept the release and refuse a changed file, changed sums and another key', () => {
  const home = join(dirname(rehearsal.repository), 'download')
  const download = () => {
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home)
    for (const name of readdirSync(release)) copyFileSync(join(release, name), join(home, name))
    copyFileSync(join(rehearsal.repository, 'allowed_signers'), join(home, 'allowed_signers'))
  }
  const verify = () => execFileSync('sh', ['-e', '-c', commands], { cwd: home, encoding: 'utf8', stdio: 'pipe' })
  download()
  expect(verify()).toContain('Good "tallystick-release" signature')
  appendFileSync(join(home, `tallystick-${rehearsal.version}.tgz`), ' ')
  expect(verify).toThrow('checksum')
  download()
  appendFileSync(join(home, 'SHA256SUMS'), '\n')
  expect(verify).toThrow()
  download()
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(home, 'other')])
  const other = readFileSync(join(home, 'other.pub'), 'utf8')
  writeFileSync(join(home, 'allowed_signers'), `release@tallystick ${other}`)
  expect(verify).toThrow()
})

test('behavior: each bill of materials names its package, and what is in the bundles', () => {
  const { version } = rehearsal
  const read = (name: string) => JSON.parse(readFileSync(join(release, `${name}-${version}.cdx.json`), 'utf8'))
  const listPackages = (name: string) =>
    (read(name).components as { purl?: string }[]).flatMap(({ purl }) => /^pkg:npm\/(.+)@/.exec(purl ?? '')?.[1] ?? [])
  expect(read('tallystick')).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version } } })
  // In the program, in its pages, and a package of its own.
  expect(listPackages('tallystick')).toEqual(expect.arrayContaining(['fastify', 'preact', '%40electric-sql/pglite']))
  expect(listPackages('tallystick')).not.toContain('%40nomicfoundation/edr')
  expect(listPackages('tallystick-sandbox')).toContain('%40nomicfoundation/edr')
  expect(listPackages('tallystick-client')).toEqual(['%40noble/curves', '%40noble/hashes'])
})

describe('another user, outside the repository, with nothing but Node on the PATH', () => {
  let stranger: Stranger

  beforeAll(() => {
    stranger = createStranger()
    for (const name of readdirSync(release)) copyFileSync(join(release, name), join(stranger.home, name))
  })

  afterAll(() => stranger.remove())

  test('default: installs the command without a registry, without scripts and with nothing of the development', async () => {
    const { home, run } = stranger
    await run(['npm', 'install', '--global', '--offline', `./tallystick-${rehearsal.version}.tgz`])
    expect(await run(['tallystick', '--version'])).toContain(rehearsal.version)
    const installed = join(home, 'node/lib/node_modules/tallystick')
    const found = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const manifests = found.filter((path) => /^(.*node_modules\/(@[^/]+\/)?[^/]+\/)?package\.json$/.test(path))
    const packages = manifests.map((path) => JSON.parse(readFileSync(join(installed, path), 'utf8')))
    const names = ['database', 'gateway', 'issuer', 'service', 'subgraph'].map((name) => `@tallystick/${name}`)
    expect(packages.map(({ name }) => name).sort()).toEqual(['@electric-sql/pglite', ...names, 'tallystick'])
    const scripts = packages.flatMap(({ scripts = {} }) => Object.keys(scripts))
    expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
    const kilobytes = Number(execFileSync('du', ['-sk', installed], { encoding: 'utf8' }).split('\t')[0])
    console.log(`installed size of the command: ${Math.round(kilobytes / 1024)} MB`)
    expect(kilobytes).toBeLessThan(60 * 1024)
  })

  test('behavior: init, serve, curve and key lead to signed notes, the page and the console', async () => {
    const { home, run, start } = stranger
    const site = join(home, 'site')
    await run(['node', '-e', 'fs.mkdirSync("site")'])
    const authority = createCertificateAuthority()
    const { cert, key } = authority.issue(['localhost'])
    for (const [name, text] of Object.entries({ 'cert.pem': cert, 'key.pem': key })) {
      await run(['node', '-e', 'fs.writeFileSync(process.argv[1], process.argv[2], { mode: 0o600 })', name, text], site)
    }
    const chain = ['--chain', '324', '--pool', '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781']
    const ports = ['--port', '0', '--admin-port', '0']
    const answers = ['--yes', '--cert', 'cert.pem', '--key', 'key.pem', ...ports, ...chain]
    expect(await run(['tallystick', 'init', ...answers], site)).toContain('$ tallystick serve')
    const curve = ['7=369', '14=365', '30=362', '60=358', '90=355', '180=350', '360=340']
    await run(['tallystick', 'curve', 'set', ...curve], site)
    const created = await run(['tallystick', 'keys', 'create', '--name', 'First', '--json'], site)
    const served = await start(['tallystick', 'serve'], { cwd: site, until: /^ready https:/m })
    const [, baseUrl = ''] = /^ready (\S+)/m.exec(served.output()) ?? []
    const get = (path: string, headers = {}) => sendRequest(`${baseUrl}${path}`, { ca: authority.cert, headers })
    const notes = await get('/notes', { 'x-api-key': JSON.parse(created).secret })
    expect([notes.status, notes.json().data.length]).toEqual([200, curve.length])
    const page = await get('/', { accept: 'text/html' })
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
    expect((await get('/docs')).status).toBe(200)
    expect(await served.stop('SIGTERM')).toBe(0)
  })

  test('behavior: npx starts the sandbox, and Ctrl-C ends it', async () => {
    const { home, start } = stranger
    const argv = ['npx', '--yes', `./tallystick-sandbox-${rehearsal.version}.tgz`, '--port', '0'] as const
    const sandbox = await start([...argv], { cwd: home, until: /^ready https:/m })
    const credentials = JSON.parse(readFileSync(join(home, '.tallystick/credentials.json'), 'utf8'))
    const { baseUrl, apiKey, caCert } = credentials
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const ca = readFileSync(caCert, 'utf8')
    expect((await sendRequest(`${baseUrl}/notes`, { ca, headers })).json().data).not.toHaveLength(0)
    const body = JSON.stringify({ query: '{ positionInfos(first: 1) { id } }', variables: { chains: [324] } })
    const data = await sendRequest(`${baseUrl}/data`, { ca, headers, body, method: 'POST' })
    expect(data.json()).toMatchObject([{ chain: 324, data: { positionInfos: [{}] } }])
    expect(sandbox.output()).not.toMatch(/npm (start|run)/)
    await sandbox.stop('SIGINT')
  })
})
