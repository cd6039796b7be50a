import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts, hashContractSources } from '../scripts/compile-contracts.ts'
import { formatArtifacts } from '../scripts/format-artifacts.ts'
import { sourcesHash } from '../src/generated/sources-hash.ts'

const stale =
  'The artifacts do not match packages/contracts/solidity. Run `npm run compile -w packages/contracts` and commit them.'
const folder = new URL('../src/generated/', import.meta.url)

test('behavior: the committed artifacts are of these sources, settings, compiler and library', () => {
  expect(hashContractSources(), stale).toBe(sourcesHash)
})

test('behavior: compiling again produces the committed ABI and bytecode, byte for byte, without a warning', {
  tags: 'slow',
}, async () => {
  const files = formatArtifacts(await compileContracts())
  expect(files.map(({ name }) => name).sort(), stale).toEqual(readdirSync(folder).sort())
  for (const { name, text } of files) {
    const committed = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n')
    // The matcher would print the difference, which is kilobytes of bytecode.
    expect(committed === text, `${name}: ${stale}`).toBe(true)
  }
})
