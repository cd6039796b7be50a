// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@tallystick/workbench/free-port'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildImage } from '../../../scripts/release/image.ts'
import { imitateBases } from '../imitate-bases.ts'
import { cloneWorkingTree } from '../make-release.ts'
import { type RunningService, startFromCompose } from '../run-service.ts'
import { readNpmSettings } from '../stranger.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const missing = ['buildah', 'podman'].filter((program) => spawnSync(program, ['--version']).status !== 0)
const isRequired = env['TALLYSTICK_REQUIRE_IMAGE'] === '1'

test('behavior: buildah and podman are installed where the image must be tested', (context) => {
  if (missing.length > 0 && !isRequired) context.skip(`${missing.join(' and ')} not installed, so no image is built`)
  expect(missing).toEqual([])
})

describe.skipIf(missing.length > 0)('an image of this tree, on bases imitated from this machine', () => {
  // Not the directory of temporary files, which may be in memory. buildah refuses a path with capitals, as mkdtemp makes them.
  const work = join('/var/tmp', `tallystick-image-test-${randomUUID()}`)
  const archive = join(work, 'image.tar')
  const options = { epochSeconds: 1_700_000_000, npmrc: join(work, 'npmrc') }
  let bases: Readonly<Record<string, string>>
  let name: string

  beforeAll(() => {
    mkdirSync(work)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    name = `tallystick:${version}`
    const settings = Object.entries(readNpmSettings()).map(
      ([key, value]) => `${key.replace('npm_config_', '').replace('_', '-')}=${value}\n`,
    )
    writeFileSync(options.npmrc, settings.join(''))
    bases = imitateBases(readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8'), work)
    buildImage({ root, archive, name, bases, ...options })
  })

  afterAll(() => rmSync(work, { recursive: true, force: true }))

  describe('built again without what is installed here, and with other modes and times of files', () => {
    const again = join(work, 'again.tar')

    beforeAll(() => {
      const umask = process.umask(0o077)
      const clone = join(work, 'clone')
      cloneWorkingTree(clone)
      buildImage({ root: clone, archive: again, name, bases, ...options })
      process.umask(umask)
    })

    test('behavior: has the same bytes', () => {
      const [first, second] = [archive, again].map((path) =>
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      )
      expect(second).toBe(first)
    })
  })

  test('behavior: the ignore file lets the build read documents, and no secret, configuration or built file', () => {
    const context = join(work, 'context')
    const output = join(work, 'output')
    const read = ['LICENSE', 'deploy/docker/probe.mjs', 'docs/errors.md', 'packages/core/src/index.ts']
    const secrets = ['deploy/compose/.env', 'deploy/compose/secrets/signer.json', 'docs/tls.key', 'docs/tls.pem']
    const others = ['apps/tallystick/tallystick.json', 'packages/core/dist/index.js', 'packages/core/node_modules/a.js']
    for (const path of [...read, ...secrets, ...others, 'packages/service/portal/index.html', '.git/HEAD']) {
      mkdirSync(join(context, dirname(path)), { recursive: true })
      writeFileSync(join(context, path), path)
    }
    writeFileSync(join(context, 'Dockerfile'), 'FROM scratch\nCOPY . /\n')
    const ignoreFile = join(root, 'deploy/docker/Dockerfile.dockerignore')
    const options = ['--ignorefile', ignoreFile, '--output', `type=local,dest=${output}`]
    const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs']
    execFileSync('buildah', [...storage, 'build', '--quiet', ...options, context])
    const found = readdirSync(output, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(found.map(({ parentPath, name }) => relative(output, join(parentPath, name))).sort()).toEqual(read)
  })

  test('behavior: each platform has the same program, the Node of its own, and a description that says so', () => {
    const layout = openLayout(archive)
    const images = layout.images.map(({ architecture, config, layers }) => {
      const files = layers.flatMap((layer) => layout.list(layer))
      const node = layers.find((layer) => layout.list(layer).includes('usr/local/bin/node')) ?? ''
      // e_machine of ELF: 62 is x86-64, 183 is ARM64.
      return {
        architecture,
        config,
        files,
        machine: layout.extract(node, 'usr/local/bin/node').readUInt16LE(18),
        program: layers.at(-2),
      }
    })
    expect(images.map(({ architecture, machine }) => [architecture, machine])).toEqual([
      ['amd64', 62],
      ['arm64', 183],
    ])
    expect(images[1]?.program).toBe(images[0]?.program)
    for (const { config, files } of images) {
      expect(config).toMatchObject({ User: '65532:65532', WorkingDir: '/etc/tallystick' })
      expect(files).toEqual(expect.arrayContaining(['app/bin/tallystick.js', 'app/probe.mjs', 'var/lib/tallystick/']))
      const development = files.filter((path) => /(^|\/)(src|deploy|node_modules\/(typescript|vite))\/./.test(path))
      const subgraph = 'app/node_modules/@tallystick/subgraph/src/protocol/'
      expect(development).toEqual([subgraph, `${subgraph}schema.graphql`])
    }
  })

  describe('started with the settings of compose.yml', () => {
    let service: RunningService
    let database: { readonly url: string; readonly remove: () => Promise<void> }
    let http: number
    const command = (...argv: readonly string[]) =>
      service.exec('/usr/local/bin/node', '/app/bin/tallystick.js', ...argv)
    const evaluate = (code: string) => service.exec('/usr/local/bin/node', '--print', code).trim()

    beforeAll(async () => {
      database = await createTestDatabase('postgres', inject('databases'))
      http = await findFreePort()
      service = startFromCompose(archive, { http, admin: await findFreePort(), databaseUrl: database.url })
    })

    afterAll(async () => {
      service.remove()
      await database.remove()
    })

    test('default: becomes ready and healthy, and serves notes', async () => {
      await expect.poll(() => service.log()).toMatch(/^ready http:/m)
      service.checkHealth()
      command('curve', 'set', ...['7=369', '14=365', '30=362', '60=358', '90=355', '180=350', '360=340'], '--confirm')
      const { secret } = JSON.parse(command('keys', 'create', '--name', 'First', '--json'))
      const headers = { 'x-api-key': secret, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
      const read = async () => {
        const response = await fetch(`http://127.0.0.1:${http}/notes`, { headers })
        return { status: response.status, body: await response.json() }
      }
      await expect.poll(read).toMatchObject({ status: 200, body: { data: { length: 7 } } })
    })

    test('behavior: runs as user 65532 without capabilities, and cannot get any', () => {
      expect(evaluate('process.getuid()')).toBe('65532')
      const status = evaluate('fs.readFileSync("/proc/1/status", "utf8")')
      expect(status).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m)
      expect(status).toMatch(/^CapEff:\t0+$/m)
      expect(status).toMatch(/^CapBnd:\t0+$/m)
      expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    })

    test('behavior: can write into its volume and /tmp, and nowhere else', () => {
      const write = (path: string) =>
        evaluate(
          `try { fs.writeFileSync("${path}", ""); fs.unlinkSync("${path}"); "written" } catch ({ code }) { code }`,
        )
      expect(['/x', '/app/x', '/etc/tallystick/x', '/run/secrets/x'].map(write)).toEqual(Array(4).fill('EROFS'))
      expect(['/tmp/x', '/var/lib/tallystick/x'].map(write)).toEqual(['written', 'written'])
      const stat = (path: string) =>
        evaluate(`const { uid, mode } = fs.statSync("${path}"); uid + " " + mode.toString(8)`)
      expect(['/var/lib', '/var/lib/tallystick'].map(stat)).toEqual(['0 40755', '65532 40700'])
    })

    test('behavior: SIGTERM ends it before SIGKILL', () => {
      expect(service.stop()).toBe(0)
    })
  })
})

type Described = { readonly digest: string }

/** Reads an archive in the OCI layout. */
function openLayout(archive: string) {
  const extract = (path: string) => execFileSync('tar', ['-xOf', archive, path], { maxBuffer: 2 ** 30 })
  const read = ({ digest }: Described) => JSON.parse(extract(pathOf(digest)).toString())
  const { manifests } = JSON.parse(extract('index.json').toString())
  const index = read(manifests[0]) as { manifests: (Described & { platform: { architecture: string } })[] }
  const unpack = (layer: string, ...options: string[]) =>
    execFileSync('tar', options, { input: extract(pathOf(layer)), maxBuffer: 2 ** 30 })
  return {
    images: index.manifests.map((described) => {
      const { config, layers } = read(described) as { config: Described; layers: Described[] }
      return {
        architecture: read(config).architecture as string,
        config: read(config).config as object,
        layers: layers.map(({ digest }) => digest),
      }
    }),
    list: (layer: string) => unpack(layer, '-tz').toString().split('\n'),
    extract: (layer: string, path: string) => unpack(layer, '-xzO', path),
  }
}

function pathOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`
}
