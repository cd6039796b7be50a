import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as exported from '../src/index.ts'
import * as hooks from '../src/react/index.ts'
import * as actions from '../src/viem/index.ts'
import { apiKey, startFakeApi } from './fake-api.ts'
import { findExamples, findReadmeBlocks } from './find-examples.ts'

// The package as npm packs it, in a project with viem and the package's own dependencies.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const client = fileURLToPath(new URL('../', import.meta.url))

let project: string
let installed: string
beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'tallystick-client-')))
  installed = join(project, 'node_modules/@tallystick/client')
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: client })
  const [tarball] = (await readdir(project)).filter((name) => name.endsWith('.tgz'))
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(project, tarball as string), '--strip-components=1', '-C', installed])
  for (const name of ['viem', '@noble', 'react', 'react-dom', '@types']) {
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name))
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
}, 120_000)
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
    (path) => /\./.test(path) && !/^(package\.json|README\.md|dist\/.*(\.js|\.d\.ts))$/.test(path),
  )
  expect(strange).toEqual([])
  expect(files).toContain('dist/LICENSE')
  expect(files.filter((path) => /bytecode|abi\.js$/.test(path)).sort()).toEqual([
    'dist/chain/pool-abi.js',
    'dist/chain/pool-event-abi.js',
    'dist/revert/revert-abi.js',
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

test('default: runs in plain Node', async () => {
  const api = await startFakeApi()
  const script = `
    import * as client from '@tallystick/client'
    const { notes } = await client.createClient({ baseUrl: '${api.baseUrl}', apiKey: '${apiKey}' }).notes()
    const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
    const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
    const { valid } = await client.verifyNote(notes[0], { pool, signer })
    console.log(JSON.stringify({ count: notes.length, valid, names: Object.keys(client).sort() }))`
  await writeFile(join(project, 'run.js'), script)
  try {
    const { stdout } = await run(process.execPath, ['run.js'], { cwd: project })
    expect(JSON.parse(stdout)).toEqual({ count: 3, valid: true, names: Object.keys(exported).sort() })
  } finally {
    await api.stop()
  }
})

describe('default: every example type-checks with the published types', () => {
  test.each(['nodenext', 'bundler'])(
    '%s',
    async (moduleResolution) => {
      const folder = join(project, moduleResolution)
      await mkdir(folder)
      await writeFile(join(folder, 'context.d.ts'), context)
      for (const [index, { name, code }] of findExamples().entries()) {
        await writeFile(join(folder, `${index}-${name}.ts`), asModule(code))
      }
      for (const [index, { code }] of findReadmeBlocks().entries()) {
        await writeFile(join(folder, `readme-${index}.ts`), `${code}\nexport {}\n`)
      }
      const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
      const lib = ['es2023', 'dom']
      // Our own declarations are checked as well.
      const strict = {
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
      }
      const compilerOptions = { ...strict, noEmit: true, target: 'es2023', lib, module, moduleResolution, types: [] }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
      // With one checker, because each one would evaluate the types of viem again.
      const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--checkers', '1']
      const { stdout } = await run(process.execPath, tsc, { cwd: project }).catch((failed) => failed)
      // Errors in the declarations of other packages are ignored.
      expect(
        stdout.split('\n').filter((line: string) => line && !/^(\.\.\/)*node_modules\/(?!@tallystick)|^ /.test(line)),
      ).toEqual([])
    },
    60_000,
  )
})

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
  const bundles = [
    { name: 'verifyNote', limit: 2_000, limitWithViem: 80_000 },
    { name: 'noteStatus', limit: 300, limitWithViem: 300 },
    { name: 'fixedIncome', limit: 400, limitWithViem: 400 },
    // The texts of 52 errors and their ABI are most of it.
    { name: 'explainRevert', limit: 16_000, limitWithViem: 40_000 },
    { name: 'lendCalldata', limit: 4_000, limitWithViem: 40_000 },
    { name: 'verifyLogged', limit: 24_000, limitWithViem: 60_000 },
    { name: 'createClient', limit: 44_000, limitWithViem: 44_000 },
    { name: '*', limit: 80_000, limitWithViem: 175_000 },
  ]
  let alone: Bundles
  let withViem: Bundles
  beforeAll(async () => {
    const names = bundles.map(({ name }) => name)
    alone = await bundle(names, { external: ['viem', '@noble'] })
    withViem = await bundle(names, { external: [] })
  })

  test.each(bundles)('$name', ({ name, limit, limitWithViem }) => {
    const { code } = alone(name)
    const sizes = [alone, withViem].map((of) => `${of(name).code.length} B (${gzipSync(of(name).code).length} B gzip)`)
    console.log(`bundle of ${name}: ${sizes[0]}, with viem ${sizes[1]}`)
    expect(code.length).toBeLessThan(limit)
    expect(withViem(name).code.length).toBeLessThan(limitWithViem)
    expect(withViem(name).modules.filter((path) => /zod|temporal|packages\/(core|contracts)/.test(path))).toEqual([])
    if (name !== '*' && name !== 'createClient') expect(code).not.toContain('x-api-key')
  })

  test('verifyNote bundles only the modules of notes', () => {
    const { modules } = alone('verifyNote')
    expect(modules.map((path) => path.split('/dist/')[1]).sort()).toEqual([
      'core/note/note-typed-data.js',
      'core/note/recent-results.js',
      'core/note/verify-note.js',
      'notes/verify-note.js',
    ])
  })
})

type Bundles = (name: string) => { readonly code: string; readonly modules: readonly string[] }

/** Makes one bundle per exported name, in one build: it reads each module once. */
async function bundle(
  names: readonly string[],
  { external }: { readonly external: readonly string[] },
): Promise<Bundles> {
  const entryOf = (name: string) => `entry-${names.indexOf(name)}.js`
  for (const name of names) {
    const exports = name === '*' ? '*' : `{ ${name} }`
    await writeFile(join(project, entryOf(name)), `export ${exports} from '@tallystick/client'`)
  }
  const { outputFiles, metafile } = await build({
    entryPoints: names.map(entryOf),
    outdir: 'bundles',
    ...{ bundle: true, minify: true, write: false, metafile: true, logLevel: 'error' },
    ...{ format: 'esm', platform: 'browser', target: 'es2022' },
    external: [...external],
    absWorkingDir: project,
  })
  return (name) => {
    const path = `bundles/${entryOf(name)}`
    const used = Object.entries(metafile.outputs[path]?.inputs ?? {}).filter(
      ([input, { bytesInOutput }]) => bytesInOutput > 0 && input !== entryOf(name),
    )
    const file = outputFiles.find((output) => output.path === join(project, path))
    return { code: file!.text, modules: used.map(([input]) => input) }
  }
}
