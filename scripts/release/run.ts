import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findRelease } from './changelog.ts'
import { findFaults } from './find-faults.ts'
import { signSums, writeSums } from './sums.ts'
import { run } from './tools.ts'

const usage = `Usage: npm run release -- <version> [options]

Builds the release of the current commit from a clean clone into release/: the same commit gives the same bytes.

Options:
  --to <directory>   where to put it (default: release)
  --key <file>       SSH key that signs SHA256SUMS. Without it, the release is not signed
  --no-image         leave out the image, which needs buildah
  --no-tag           do not tag the commit
  --help             print this
`

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    to: { type: 'string', default: 'release' },
    key: { type: 'string' },
    image: { type: 'boolean', default: true },
    tag: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
})
const [version = ''] = positionals
if (values.help || positionals.length !== 1) {
  process.stdout.write(usage)
  process.exit(values.help ? 0 : 2)
}
process.umask(0o022)
const git = (...args: string[]) => run(['git', ...args], { cwd: root }).trim()
const head = git('rev-parse', 'HEAD')
const faults = findFaults({ version, head, ...readState() })
if (faults.length > 0) {
  process.stderr.write(`${version} cannot be released:\n${faults.map((fault) => `- ${fault}\n`).join('')}`)
  process.exit(1)
}
const work = mkdtempSync(join(tmpdir(), 'tallystick-release-'))
try {
  await release()
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function release(): Promise<void> {
  const clone = join(work, 'clone')
  const target = join(work, 'release')
  const epochSeconds = git('show', '--no-patch', '--format=%ct', head)
  say(`cloning ${head.slice(0, 12)} and installing its packages`)
  run(['git', 'clone', '--quiet', '--no-hardlinks', root, clone], { cwd: work })
  run(['git', 'checkout', '--quiet', '--detach', head], { cwd: clone })
  run(['npm', 'ci', '--no-audit', '--no-fund', '--silent'], { cwd: clone })
  say('packing the command, the sandbox and the SDK')
  // The scripts of the clone, which are those of the commit.
  run([execPath, '--import', 'tsx', 'scripts/release/build-packages.ts', target, epochSeconds], { cwd: clone })
  if (values.image) {
    say('building the image for amd64 and arm64')
    run([execPath, '--import', 'tsx', 'scripts/release/build-image.ts', target, epochSeconds], { cwd: clone })
  }
  writeSums(target)
  const { key } = values
  if (key) signSums(target, { key: resolve(key), allowedSigners: join(clone, 'allowed_signers') })
  publish(target)
  if (values.tag && !readTag()) git('tag', '--annotate', `v${version}`, '--message', `Tallystick ${version}`)
  say(`${key ? 'signed' : 'not signed: there is no --key'}. Built with Node ${process.version}`)
}

/** Moves the complete release to its place: a process that is killed leaves the old one, or none. */
function publish(built: string): void {
  const target = resolve(root, values.to)
  const draft = `${target}.draft`
  rmSync(draft, { recursive: true, force: true })
  cpSync(built, draft, { recursive: true })
  rmSync(target, { recursive: true, force: true })
  renameSync(draft, target)
  for (const name of readdirSync(target)) {
    const { size } = statSync(join(target, name))
    process.stdout.write(`${name.padEnd(42)} ${(size / 1e6).toFixed(2).padStart(8)} MB\n`)
  }
}

function readState() {
  const manifests = [
    'package.json',
    'apps/tallystick/package.json',
    'packages/client/package.json',
    'apps/sandbox/package.json',
  ]
  const changed = git('status', '--porcelain')
  return {
    manifests: Object.fromEntries(manifests.map((path) => [path, readVersion(path)])),
    notes: findRelease(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version),
    pending: readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md')),
    changed: changed === '' ? [] : changed.split('\n').map((line) => line.slice(2).trim()),
    tagged: readTag(),
  }
}

function readTag(): string | undefined {
  return git('for-each-ref', '--format=%(objectname)%(*objectname)', `refs/tags/v${version}`).slice(-40) || undefined
}

function readVersion(path: string): string {
  return (JSON.parse(readFileSync(join(root, path), 'utf8')) as { readonly version: string }).version
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
