import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// Makes the tarball of the assembled package: `npm run pack:client [-- --to <directory>]`. Prints its path. Decision 0043.

const client = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({ options: { to: { type: 'string', default: '.' } } })
const target = resolve(values.to)
mkdirSync(target, { recursive: true })
const staging = mkdtempSync(join(tmpdir(), 'tallystick-pack-'))
try {
  for (const name of ['dist', 'README.md', 'LICENSE'])
    cpSync(join(client, name), join(staging, name), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'))
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(forIntegrators(manifest), null, 2)}\n`)
  const pack = ['pack', '--silent', '--pack-destination', target]
  const name = execFileSync('npm', pack, { cwd: staging, encoding: 'utf8' }).trim()
  process.stdout.write(`${join(target, name)}\n`)
} finally {
  rmSync(staging, { recursive: true, force: true })
}

type Manifest = Readonly<Record<string, unknown>> & {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** Removes what only this workspace needs: the `src` condition, whose files are not packed, scripts and dev dependencies. */
function forIntegrators({ scripts: _, devDependencies: __, ...manifest }: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([entry, conditions]) => {
    if (typeof conditions === 'string') return [entry, conditions]
    const { src: ___, ...published } = conditions
    return [entry, published]
  })
  return { ...manifest, exports: Object.fromEntries(exports) }
}
