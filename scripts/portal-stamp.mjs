// JavaScript, so that `npm start` checks whether the page is up to date without loading a compiler.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folders = [
  'scripts',
  'apps/portal/src',
  'apps/portal/scripts',
  'apps/console/src',
  'docs',
  'examples',
  'packages/ui/src',
  'packages/ui/scripts',
  'packages/client/src',
  'packages/contracts/src',
  'packages/core/src',
  'packages/base/src',
  'packages/tlog/src',
]

/** @type {import('./portal-stamp.d.mts').hashSources} */
export function hashSources(root) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  // The page shows these.
  hash.update(readFileSync(join(root, 'packages/client/README.md')))
  for (const folder of folders) {
    const paths = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    for (const path of paths) hash.update(path.slice(root.length)).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** @type {import('./portal-stamp.d.mts').readStamp} */
export function readStamp(target) {
  const path = join(target, 'build.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
