// npm run lint:deploy: runs each linter that is on this machine, and names those that are not.
import { lint, linters } from './linters.ts'

const results = linters.map((linter) => {
  const result = lint(linter)
  const word = result.isMissing ? 'missing' : result.problem === undefined ? 'ok' : 'FAILED'
  process.stdout.write(`${word.padEnd(8)} ${linter.program.padEnd(17)} ${linter.name}\n`)
  if (result.problem !== undefined) process.stdout.write(`${result.problem}\n`)
  return result
})
const ran = results.filter(({ isMissing }) => !isMissing).length
const failed = results.filter(({ problem }) => problem !== undefined).length
process.stdout.write(`${ran} of ${results.length} checks ran, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
