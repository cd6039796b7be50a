// @module-tag slow

import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { installPackages } from '@tallystick/workbench/install-packages'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { chain324, createKey, newDatabase, start } from './harness.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const consumer = fileURLToPath(new URL('./generated-client/consumer.ts', import.meta.url))

/** The part of the generator in use. Its package is installed on demand. */
type Generator = {
  default(source: string): Promise<object>
  astToString(ast: object): string
}

let tools: NodeJS.Require
beforeAll(async () => {
  tools = await installPackages(fileURLToPath(new URL('openapi-tools', import.meta.url)))
})

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  rewriteRelativeImportExtensions: true,
  // The generated code is no declaration file, so it is checked.
  skipLibCheck: true,
}

test('default: a client generated from the served document compiles, works, and refuses what the service would', async () => {
  const node = await startDevChain({ chainId: 324 })
  onTestFinished(() => node.stop())
  const subgraph = { embedded: { positions: '0x0000000000000000000000000000000000000abc' } }
  const config = { chains: [{ ...chain324, rpc: [node.url], subgraph }] }
  const service = await start({ databaseUrl: await newDatabase(), config })
  const { secret } = await createKey(service)
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-generated-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))

  const { default: generate, astToString }: Generator = tools('openapi-typescript')
  await writeFile(
    join(directory, 'generated.ts'),
    astToString(await generate((await service.call('/openapi.json')).body)),
  )
  await copyFile(consumer, join(directory, 'consumer.ts'))
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  await writeFile(join(directory, 'ca.pem'), service.ca)
  // The compiler the integrator is likely to have: the one the generator works with.
  const compiler = tools.resolve('typescript/bin/tsc')
  const compiled = await run(process.execPath, [compiler, '-p', directory]).catch((error) => error)
  expect(compiled.stdout).toBe('')

  const isIndexed = async () =>
    expect((await service.call('/subgraphs/324?query={_meta{block{number}}}')).json().data).toBeDefined()
  await vi.waitFor(isIndexed, waitOptions)
  const env = {
    TALLYSTICK_URL: service.baseUrl,
    TALLYSTICK_KEY: secret,
    NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem'),
  }
  const printed = await run(process.execPath, [join(directory, 'consumer.js')], { env }).catch((error) => error)
  expect(printed).toMatchObject({ stdout: '2 notes, invalid_api_key\n' })
})
