import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readPage } from '../scripts/docs/read-page.ts'
import { fillValues } from '../src/docs/requests/fill-values.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = 'apps/portal/src/docs/guides'
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const values = { chainId: 324, wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }
const guides = readdirSync(join(root, folder)).map((name) =>
  readPage({ read }, { segment: name.replace('.md', ''), file: `${folder}/${name}` }),
)

test('behavior: the TypeScript of the guides compiles against the SDK', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-guides-'))
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const sources = guides.flatMap(({ segment, parts }) =>
    parts
      .flatMap((part) => (part.kind === 'samples' ? part.samples : []))
      .filter(({ language }) => language === 'ts')
      .map(({ source }, index) => ({ name: `${segment}-${index + 1}.ts`, source: fillValues(source, values) })),
  )
  expect(sources.length).toBeGreaterThan(9)
  for (const { name, source } of sources) writeFileSync(join(directory, name), `${source}\nexport {}\n`)
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2023', module: 'nodenext', skipLibCheck: true },
    ...{ noUnusedLocals: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ customConditions: ['src'], allowImportingTsExtensions: true, types: ['node'] },
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const compile = () =>
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', directory, '--singleThreaded'], { encoding: 'utf8' })
  expect(compile()).toBe('')
})
