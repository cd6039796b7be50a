import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A person with a machine of their own: another user, a Node with its npm, and nothing else on the PATH. */
export type Stranger = {
  /** Directory of this user, outside the repository. */
  readonly home: string
  /** Runs a command to its end. Throws if it fails. Returns stdout. */
  run(argv: readonly [string, ...string[]], cwd?: string): Promise<string>
  /** Starts a command, and resolves when its output has a text that matches. */
  start(
    argv: readonly [string, ...string[]],
    options: { readonly cwd: string; readonly until: RegExp },
  ): Promise<Started>
  /** Also ends what a failed test left running. */
  remove(): void
}

type Started = {
  readonly output: () => string
  /** Sends a signal to the group, as a terminal does. Resolves to the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

// The user "nobody" of most systems. It owns nothing.
const nobody = 65_534

/** Creates the user's directory. Only root can be another user: without it, the directories are new, and the user is the same. */
export function createStranger(): Stranger {
  const isRoot = process.getuid?.() === 0
  // Not in the directory of the test run, which only this user may enter.
  const home = mkdtempSync('/tmp/tallystick-stranger-')
  const node = installNode(home)
  const identity = isRoot ? { uid: nobody, gid: nobody } : {}
  if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, home])
  const env = { ...readNpmSettings(), HOME: home, PATH: node, TMPDIR: join(home, 'tmp'), NO_COLOR: '1' }
  const running = new Set<ChildProcess>()
  const launch = ([file, ...args]: readonly [string, ...string[]], cwd: string) => {
    const child = spawn(file, args, { cwd, env, ...identity, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }
  return {
    home,
    run: async (argv, cwd = home) => {
      const child = launch(argv, cwd)
      const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
      return stdout
    },
    start: async (argv, { cwd, until }) => waitFor(launch(argv, cwd), until),
    remove: () => {
      for (const { pid = 0 } of running) process.kill(-pid, 'SIGKILL')
      rmSync(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Copies this Node and its npm: the other user may not read where they are installed. Returns the directory for the PATH. */
function installNode(home: string): string {
  const bin = join(home, 'node/bin')
  const modules = join(home, 'node/lib/node_modules')
  mkdirSync(bin, { recursive: true })
  mkdirSync(join(home, 'tmp'))
  copyFileSync(process.execPath, join(bin, 'node'))
  chmodSync(join(bin, 'node'), 0o755)
  cpSync(findNpm(), join(modules, 'npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(join(modules, `npm/bin/${name}-cli.js`), join(bin, name))
  // npx starts a program through the shell.
  symlinkSync('/bin/sh', join(bin, 'sh'))
  chmodSync(home, 0o755)
  return bin
}

/** Returns how npm reaches the registry from this machine. The copied npm does not have the settings of this one. */
export function readNpmSettings(): Readonly<Record<string, string>> {
  const settings = ['registry', 'cafile', 'https-proxy'].map((name) => {
    const value = execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()
    return [`npm_config_${name.replace('-', '_')}`, value] as const
  })
  return Object.fromEntries(settings.filter(([, value]) => value !== 'null' && value !== 'undefined'))
}

export function findNpm(): string {
  const cli = process.env['npm_execpath']
  const path =
    cli && basename(cli) === 'npm-cli.js'
      ? cli
      : execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  return dirname(dirname(realpathSync(path)))
}

async function waitFor(child: ChildProcess, until: RegExp): Promise<Started> {
  const chunks: string[] = []
  const output = () => chunks.join('')
  const closed = once(child, 'close').then(([code]) => code as number | null)
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        chunks.push(chunk)
        if (until.test(output())) resolve()
      })
    }
    child.once('error', reject)
    closed.then((code) => reject(new Error(`It ended with ${code}:\n${output()}`)), reject)
  })
  return {
    output,
    stop: (signal) => {
      process.kill(-(child.pid as number), signal)
      return closed
    },
  }
}
