import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { renderTrials } from './render-trials.ts'
import { stopCommands } from './run-command.ts'
import { supportedVersions } from './supported-versions.ts'
import { type Trial, tryVersion } from './try-version.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const npmCli = process.env['npm_execpath']
if (!npmCli) throw new Error('Run `npm run test:node-versions`, which sets npm_execpath.')
const specs = process.argv.length > 2 ? process.argv.slice(2) : supportedVersions

let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The killed command fails, and its directory is removed as usual.
    isInterrupted = true
    stopCommands()
  })
}

const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
if (changed) console.warn('The working tree has uncommitted changes. Only the current commit is tested.')
const trials: Trial[] = []
for (const spec of specs) {
  if (!isInterrupted) trials.push(await tryVersion(spec, { root, npmCli, log: console.log }))
}
for (const { version, failures } of trials) {
  for (const failure of failures) console.error(`\nNode ${version}: ${failure}`)
}
console.log(`\n${renderTrials(trials)}`)
if (isInterrupted || trials.some(({ failures }) => failures.length > 0)) process.exitCode = 1
