import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { build } from 'esbuild'
import { build as buildPage, createLogger } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as exported from '../src/index.ts'
import * as hooks from '../src/react/index.ts'
import * as actions from '../src/viem/index.ts'
import { apiKey, startFakeApi } from './fake-api.ts'
import { findExamples, findReadmeBlocks } from './find-examples.ts'

// The package as `npm run pack:client` packs it, in a project with viem and the package's own dependencies.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

let project: string
let installed: string
beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'tallystick-client-')))
  installed = join(project, 'node_modules/@tallystick/client')
  await run('npm', ['run', '--silent', 'pack:client', '--', '--to', project], { cwd: root })
  const [tarball] = (await readdir(project)).filter((name) => name.endsWith('.tgz'))
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(project, tarball as string), '--strip-components=1', '-C', installed])
  for (const name of ['viem', '@noble', 'react', 'react-dom', '@types']) {
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name))
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
})
afterAll(() => rm(project, { recursive: true, force: true }))

test('default: contains the build, the README and the licence, and depends only on viem and its hashes and curves', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const viem = JSON.parse(await readFile(join(root, 'node_modules/viem/package.json'), 'utf8'))
  // The versions that viem has, so that an integrator has one copy of them.
  expect(viem.dependencies).toMatchObject(manifest.dependencies)
  expect(Object.keys(manifest.dependencies)).toEqual(['@noble/curves', '@noble/hashes'])
  expect(manifest.peerDependencies).toEqual({ react: expect.any(String), viem: expect.any(String) })
  expect(manifest.peerDependenciesMeta).toEqual({ react: { optional: true } })
  const files = await readdir(installed, { recursive: true })
  const strange = files.filter(
    (path) => /\./.test(path) && !/^(package\.json|README\.md|dist(\/.*(\.js|\.d\.ts))?)$/.test(path),
  )
  expect(strange).toEqual([])
  expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toBe(await readFile(join(root, 'LICENSE'), 'utf8'))
  expect(manifest).toMatchObject({
    license: 'Apache-2.0',
    homepage: expect.stringMatching(/^https:/),
    repository: { url: expect.stringMatching(/^git\+https:/), directory: 'packages/client' },
    bugs: { url: expect.stringMatching(/^https:/) },
  })
  // Nothing of the workspace: sources are not packed, and an install runs no script.
  expect(JSON.stringify(manifest)).not.toMatch(/src|scripts|devDependencies/)
  expect(files.filter((path) => /bytecode|abi\.js$/.test(path)).sort()).toEqual([
    'dist/chain/pool-abi.js',
    'dist/chain/pool-event-abi.js',
    'dist/viem/abi.js',
  ])
  for (const path of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    const code = (await readFile(join(installed, path), 'utf8')).replace(/\/\*\*[\s\S]*?\*\//g, '')
    const imported = [...code.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, name]) => name as string)
    expect(
      imported.filter(
        (name) => !/^(viem$|viem\/(utils|actions)$|react$|@noble\/(curves|hashes)\/\w+$|\.{1,2}\/.*\.js$)/.test(name),
      ),
      path,
    ).toEqual([])
  }
})

test('default: runs in plain Node', { tags: 'slow' }, async () => {
  const api = await startFakeApi()
  const script = `
    import * as client from '@tallystick/client'
    import { tallystickActions } from '@tallystick/client/viem'
    import { useNotes } from '@tallystick/client/react'
    const { notes } = await client.createClient({ baseUrl: '${api.baseUrl}', apiKey: '${apiKey}' }).notes()
    const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
    const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
    const { valid } = await client.verifyNote(notes[0], { pool, signer })
    const names = Object.keys(client).sort()
    console.log(JSON.stringify({ count: notes.length, valid, names, entries: typeof tallystickActions + typeof useNotes }))`
  await writeFile(join(project, 'run.js'), script)
  try {
    const { stdout } = await run(process.execPath, ['run.js'], { cwd: project })
    const names = Object.keys(exported).sort()
    expect(JSON.parse(stdout)).toEqual({ count: 3, valid: true, names, entries: 'functionfunction' })
  } finally {
    await api.stop()
  }
})

test('default: Vite builds a page with all entries', { tags: 'slow' }, async () => {
  const page = join(project, 'page')
  await mkdir(page)
  await writeFile(join(page, 'index.html'), '<script type="module" src="/main.ts"></script>')
  const code = `
    import { createClient } from '@tallystick/client'
    import { useNotes } from '@tallystick/client/react'
    import { tallystickActions } from '@tallystick/client/viem'
    Object.assign(globalThis, { createClient, useNotes, tallystickActions })`
  await writeFile(join(page, 'main.ts'), code)
  const warnings: string[] = []
  const customLogger = { ...createLogger('silent'), warn: (text: string) => void warnings.push(text) }
  const built = await buildPage({ root: page, configFile: false, customLogger, build: { write: false } })
  expect(warnings).toEqual([])
  expect(JSON.stringify(built)).toContain('x-api-key')
})

test('error: plain Node names an expired certificate, and one of another host', { tags: 'slow' }, async () => {
  const trusted = createCertificateAuthority()
  const old = createCertificateAuthority(new Date('2020-01-01'))
  await writeFile(join(project, 'authorities.pem'), `${trusted.cert}${old.cert}`)
  const servers = [old.issue(['localhost']), trusted.issue(['notes.test'])].map((pair) => createServer(pair))
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  const urls = servers.map((server) => `https://localhost:${(server.address() as AddressInfo).port}`)
  const script = `
    import { createClient } from '@tallystick/client'
    const errors = ${JSON.stringify(urls)}.map((baseUrl) => createClient({ baseUrl }).chains().catch((error) => error))
    console.log(JSON.stringify((await Promise.all(errors)).map(({ code, message }) => [code, message])))`
  await writeFile(join(project, 'tls.js'), script)
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(project, 'authorities.pem') }
  try {
    const { stdout } = await run(process.execPath, ['tls.js'], { cwd: project, env })
    expect(JSON.parse(stdout)).toEqual([
      ['tls_check_failed', expect.stringMatching(/has expired \(CERT_HAS_EXPIRED\)\. .*date -u/)],
      [
        'tls_check_failed',
        expect.stringMatching(/another host name .*DNS:notes\.test\. Use a name of the certificate/),
      ],
    ])
  } finally {
    for (const server of servers) server.close()
  }
})

describe('default: every example type-checks with the published types', { tags: 'slow' }, () => {
  test.each(['node16', 'bundler'])('%s', async (moduleResolution) => {
    const folder = join(project, moduleResolution)
    await mkdir(folder)
    await writeFile(join(folder, 'context.d.ts'), context)
    await copyDeclarations(join(folder, 'declarations'))
    for (const [index, { name, code }] of findExamples().entries()) {
      await writeFile(join(folder, `${index}-${name}.ts`), asModule(code))
    }
    for (const [index, { code }] of findReadmeBlocks().entries()) {
      await writeFile(join(folder, `readme-${index}.ts`), `${code}\nexport {}\n`)
    }
    const module = moduleResolution === 'node16' ? 'node16' : 'esnext'
    const lib = ['es2023', 'dom']
    const strict = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
    }
    const compilerOptions = { ...strict, noEmit: true, target: 'es2023', lib, module, moduleResolution, types: [] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
    // With one checker, because each one would evaluate the types of viem again.
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--checkers', '1']
    const { stdout } = await run(process.execPath, tsc, { cwd: project }).catch((failed) => failed)
    expect(stdout).toBe('')
  })
})

/** Copies our own declarations as sources: the compiler checks these, but not the declarations of other packages. */
async function copyDeclarations(folder: string): Promise<void> {
  const dist = join(installed, 'dist')
  const files = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.d.ts'))
  expect(files).toContain('index.d.ts')
  for (const path of files) {
    const copy = join(folder, path.replace(/\.d\.ts$/, '.ts'))
    await mkdir(dirname(copy), { recursive: true })
    await copyFile(join(dist, path), copy)
  }
}

const context = `
import type { Client } from '@tallystick/client'
declare global {
  const client: Client
  const apiKey: string
  const wallet: \`0x\${string}\`
  const pool: \`0x\${string}\`
  const signer: \`0x\${string}\`
  const token: \`0x\${string}\`
  const positions: \`0x\${string}\`
  const provider: { request(request: unknown): Promise<never> }
  const log: string
  const key: string
  const process: { readonly env: Readonly<Record<string, string | undefined>> }
}`

/** Wraps an example: it uses the package's exports without imports and may import from viem. */
function asModule(code: string): string {
  const isImport = (line: string) => line.startsWith('import ')
  const lines = code.split('\n')
  const imports = [
    `import { ${Object.keys(exported).join(', ')} } from '@tallystick/client'`,
    `import { ${Object.keys(actions).join(', ')} } from '@tallystick/client/viem'`,
    `import { ${Object.keys(hooks).join(', ')} } from '@tallystick/client/react'`,
    ...lines.filter(isImport),
  ]
  return `${imports.join('\n')}\nexport async function example() {\n${lines.filter((line) => !isImport(line)).join('\n')}\n}\n`
}

describe('default: a bundle contains only the used modules', () => {
  const bundles: readonly Bundled[] = [
    { name: 'verifyNote', limit: 2_000, limitWithViem: 80_000 },
    { name: 'noteStatus', limit: 300, limitWithViem: 300 },
    { name: 'fixedIncome', limit: 400, limitWithViem: 400 },
    // The texts of 52 errors and their ABI are most of it.
    { name: 'explainRevert', limit: 18_000, limitWithViem: 43_000 },
    { name: 'lendCalldata', limit: 4_000, limitWithViem: 40_000 },
    { name: 'verifyLogged', limit: 24_000, limitWithViem: 60_000 },
    { name: 'createClient', limit: 44_000, limitWithViem: 44_000 },
    { name: '*', limit: 88_000, limitWithViem: 178_000 },
    // Most of it is the texts of errors, and viem's wallet actions.
    { name: 'tallystickActions', from: '/viem', limit: 53_000, limitWithViem: 242_000 },
    { name: 'useNotes', from: '/react', limit: 1_500, limitWithViem: 1_500 },
    { name: '*', from: '/react', limit: 4_000, limitWithViem: 4_000 },
  ]
  let alone: Bundles
  let withViem: Bundles
  beforeAll(async () => {
    alone = await bundle(bundles, { external: ['react', 'viem', '@noble'] })
    withViem = await bundle(bundles, { external: ['react'] })
  })

  test.each(bundles)('$name', (bundled) => {
    const { name, from = '', limit, limitWithViem } = bundled
    const { code } = alone(bundled)
    const sizes = [alone, withViem].map(
      (of) => `${of(bundled).code.length} B (${gzipSync(of(bundled).code).length} B gzip)`,
    )
    console.log(`bundle of ${name} ${from}: ${sizes[0]}, with viem ${sizes[1]}`)
    expect(code.length).toBeLessThan(limit)
    expect(withViem(bundled).code.length).toBeLessThan(limitWithViem)
    expect(
      withViem(bundled).modules.filter((path) => /zod|temporal|packages\/(core|contracts|tlog)/.test(path)),
    ).toEqual([])
    if (name !== '*' && name !== 'createClient') expect(code).not.toContain('x-api-key')
  })

  test('verifyNote bundles only the modules of notes', () => {
    const { modules } = alone(bundles[0] as Bundled)
    expect(modules.map((path) => path.split('/dist/')[1]).sort()).toEqual([
      'core/note/note-typed-data.js',
      'core/note/recent-results.js',
      'core/note/verify-note.js',
      'notes/verify-note.js',
    ])
  })
})

type Bundled = { readonly name: string; readonly from?: string; readonly limit: number; readonly limitWithViem: number }
type Bundles = (bundled: Bundled) => { readonly code: string; readonly modules: readonly string[] }

/** Makes one bundle per exported name, in one build: it reads each module once. */
async function bundle(
  bundles: readonly Bundled[],
  { external }: { readonly external: readonly string[] },
): Promise<Bundles> {
  const entryOf = (bundled: Bundled) => `entry-${bundles.indexOf(bundled)}.js`
  for (const bundled of bundles) {
    const exports = bundled.name === '*' ? '*' : `{ ${bundled.name} }`
    const code = `export ${exports} from '@tallystick/client${bundled.from ?? ''}'`
    await writeFile(join(project, entryOf(bundled)), code)
  }
  const { outputFiles, metafile } = await build({
    entryPoints: bundles.map(entryOf),
    outdir: 'bundles',
    ...{ bundle: true, minify: true, write: false, metafile: true, logLevel: 'error' },
    ...{ format: 'esm', platform: 'browser', target: 'es2022' },
    external: [...external],
    absWorkingDir: project,
  })
  return (bundled) => {
    const path = `bundles/${entryOf(bundled)}`
    const used = Object.entries(metafile.outputs[path]?.inputs ?? {}).filter(
      ([input, { bytesInOutput }]) => bytesInOutput > 0 && input !== entryOf(bundled),
    )
    const file = outputFiles.find((output) => output.path === join(project, path))
    return { code: file!.text, modules: used.map(([input]) => input) }
  }
}
