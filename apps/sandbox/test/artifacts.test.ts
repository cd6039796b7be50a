import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts, hashContractSources } from '../scripts/contracts.ts'
import { sourcesHash } from '../src/generated/sources-hash.ts'

const stale =
  'The artifacts are not those of apps/sandbox/contracts: run `npm run compile -w apps/sandbox`, commit them.'
const folder = new URL('../src/generated/', import.meta.url)

test('behavior: the committed artifacts are of these sources, settings, compiler and library', () => {
  expect(hashContractSources(), stale).toBe(sourcesHash)
})

test('behavior: compiling again gives the committed artifacts, byte for byte, without a warning', () => {
  const files = compileContracts()
  expect(files.map(({ name }) => name).sort(), stale).toEqual(readdirSync(folder).sort())
  for (const { name, text } of files) {
    const committed = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n')
    // Compared here and not by the matcher, whose picture of the difference would be a wall of bytecode.
    expect(committed === text, `${name}: ${stale}`).toBe(true)
  }
}, 180_000)
