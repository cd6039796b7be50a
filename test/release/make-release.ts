import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cleanEnvironment } from '../../scripts/clean-environment.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const changeset = `---
'tallystick': minor
---

### When you upgrade

- This entry is part of a rehearsal.
`

export type Rehearsal = {
  /** Repository with the commit of the next release, made from the working tree. */
  readonly repository: string
  readonly version: string
  /** SSH key that `allowed_signers` of the commit has. */
  readonly signingKey: string
}

/** Makes the commit of the next release in a repository of its own, as a maintainer does: changesets, version, commit. */
export async function rehearseVersion(): Promise<Rehearsal> {
  const home = mkdtempSync(join(tmpdir(), 'release-'))
  const repository = join(home, 'first')
  cloneWorkingTree(repository)
  writeFileSync(join(repository, '.changeset/rehearsal.md'), changeset)
  const signingKey = join(home, 'signing-key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'rehearsal', '-f', signingKey])
  const publicKey = readFileSync(`${signingKey}.pub`, 'utf8')
  writeFileSync(join(repository, 'allowed_signers'), `release@tallystick namespaces="tallystick-release" ${publicKey}`)
  await runScript(repository, ['scripts/release/version.ts'])
  commit(repository, 'chore(release): rehearse')
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }
  return { repository, version, signingKey }
}

/** Makes a second clone of a repository at another path. */
export function cloneAgain(repository: string): string {
  const second = join(dirname(repository), 'a second, longer path')
  execFileSync('git', ['clone', '--quiet', repository, second])
  linkPackages(second)
  return second
}

/** Runs a script of a clone with the packages of this tree, in an environment with other settings. Returns what it prints. */
export async function runScript(
  directory: string,
  args: readonly string[],
  { umask = '022', ...env }: Readonly<Record<string, string>> = {},
): Promise<string> {
  const argv = [process.execPath, '--import', 'tsx', ...args]
  const { stdout } = await promisify(execFile)('sh', ['-c', 'umask "$0" && exec "$@"', umask, ...argv], {
    cwd: directory,
    env: { ...cleanEnvironment(process.env, dirname(process.execPath)), ...env },
  })
  return stdout
}

/** Clones the repository with the changes of the working tree as a commit. */
export function cloneWorkingTree(target: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, target])
  linkPackages(target)
  const names = (...args: string[]) =>
    git('ls-files', '-z', ...args)
      .split('\0')
      .filter(Boolean)
  const deleted = new Set(names('--deleted'))
  for (const name of deleted) execFileSync('git', ['rm', '--quiet', '--', name], { cwd: target })
  for (const name of names('--modified', '--others', '--exclude-standard')) {
    if (deleted.has(name)) continue
    mkdirSync(dirname(join(target, name)), { recursive: true })
    copyFileSync(join(root, name), join(target, name))
  }
  commit(target, 'test: the working tree')
}

function commit(repository: string, message: string): void {
  const author = ['-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@example.com', '-c', 'commit.gpgsign=false']
  execFileSync('git', ['add', '--all'], { cwd: repository })
  execFileSync('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', message], { cwd: repository })
}

/** Lets the scripts of a clone find the packages that they import. The release itself installs its own. */
function linkPackages(clone: string): void {
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n')
}
