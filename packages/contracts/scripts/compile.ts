import { mkdirSync, writeFileSync } from 'node:fs'
import { compileContracts } from './compile-contracts.ts'
import { formatArtifacts } from './format-artifacts.ts'

const folder = new URL('../src/generated/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const { name, text } of formatArtifacts(await compileContracts())) {
  writeFileSync(new URL(name, folder), text)
  process.stdout.write(`${name}: ${text.length} characters\n`)
}
