// Creates the empty database of a new sandbox in the build, which a first start would otherwise do in seconds. The clock
// stands still and nothing is random in it, so that a release has the same bytes wherever it is built: the engine writes
// both into its control file. No secret is made here: a sandbox creates its keys when it starts.
import { execFileSync } from 'node:child_process'
import { env, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../apps/sandbox/dist/make-template.js', import.meta.url))
// By the environment, because the engine runs in a thread.
const NODE_OPTIONS = `--import=${new URL('stop-clock.mjs', import.meta.url).href}`
execFileSync(execPath, [program], { env: { ...env, NODE_OPTIONS }, stdio: 'inherit' })
