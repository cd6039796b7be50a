import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addRelease } from './changelog.ts'
import { installTools, run, toolPath } from './tools.ts'

// `npm run release:version`: gives all packages the version that the changesets ask for, moves their texts to CHANGELOG.md, and
// writes the version wherever it stands in a command or a file to deploy. Review and commit the result.

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string) => writeFileSync(join(root, path), text)

const changesets = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md'))
const changes = changesets.sort().map((name) => read(`.changeset/${name}`).replace(/^---\n[\s\S]*?\n---\n/, ''))
const before = readVersion()
await installTools()
run([process.execPath, toolPath('node_modules/@changesets/cli/bin.js'), 'version'], { cwd: root })
const version = readVersion()
if (version === before) throw new Error(`The changesets in .changeset ask for no version after ${before}.`)
const date = new Date().toISOString().slice(0, 10)
write('CHANGELOG.md', addRelease(read('CHANGELOG.md'), { version, date, changes }))
for (const [path, from, to] of findPlaces()) write(path, read(path).replaceAll(from, to))
// Not `npm version`, which would also tag.
run(['npm', 'install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved'], { cwd: root })
process.stdout.write(`${before} → ${version}. Review and commit the change, then: npm run release -- ${version}\n`)

function readVersion(): string {
  return (JSON.parse(read('apps/tallystick/package.json')) as { version: string }).version
}

/** Lists the files that name the version, with the text to replace. */
function findPlaces(): readonly (readonly [path: string, from: RegExp, to: string])[] {
  const escaped = before.replaceAll('.', '\\.')
  const archive = new RegExp(`(tallystick(?:-client|-sandbox|-image)?[-:]v?)${escaped}(?=\\W)`, 'g')
  const places = ['docs/*.md', 'deploy/*.y*ml', 'deploy/docker/Dockerfile', 'README.md', 'packages/*/README.md']
  const texts = run(['git', 'ls-files', ...places, ':!docs/decisions'], { cwd: root })
  return [
    ['package.json', new RegExp(`(?<="version": ")${escaped}(?=")`, 'g'), version],
    ['packages/service/src/release.ts', new RegExp(`(?<=')${escaped}(?=')`, 'g'), version],
    ['deploy/kubernetes/kustomization.yaml', new RegExp(`(?<=newTag: )${escaped}\\b`, 'g'), version],
    ...texts
      .trim()
      .split('\n')
      .map((path) => [path, archive, `$1${version}`] as const),
  ]
}
