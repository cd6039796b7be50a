// Builds the page before `npm start` if it is missing or old; a twentieth of a second if it is not.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { hashSources, readStamp } from './portal-stamp.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
if (readStamp(`${root}packages/service/portal`)?.key !== hashSources(root)) {
  const build = fileURLToPath(new URL('portal.ts', import.meta.url))
  execFileSync(process.execPath, ['--conditions=src', '--import', 'tsx', build], { cwd: root, stdio: 'inherit' })
}
