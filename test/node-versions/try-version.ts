import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installNode } from './install-node.ts'
import { type CommandResult, runCommand } from './run-command.ts'
import { trySandbox } from './try-sandbox.ts'

export type TryOptions = { readonly root: string; readonly npmCli: string; readonly log: (line: string) => void }

export type Trial = {
  readonly version: string
  readonly steps: Readonly<Partial<Record<StepName, CommandResult>>>
  readonly failures: readonly string[]
}

export const stepNames = ['npm ci', 'build', 'tests', 'sandbox'] as const
type StepName = (typeof stepNames)[number]

// It only ends tests that hang. They take some minutes on two cores, and a loaded machine may be ten times slower.
const testsTimeoutMs = 7_200_000

/** Tests the current commit on one version of Node: install, build, tests, sandbox. */
export async function tryVersion(spec: string, options: TryOptions): Promise<Trial> {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'tallystick-node-'))
  try {
    return await tryIn(directory, { ...options, spec })
  } catch (error) {
    return { version: spec, steps: {}, failures: [(error as Error).message] }
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function tryIn(directory: string, { spec, root, npmCli, log }: TryOptions & { spec: string }): Promise<Trial> {
  const nodeHome = join(directory, 'node')
  mkdirSync(nodeHome)
  const node = await installNode(spec, { directory: nodeHome, npmCli })
  const clone = join(directory, 'clone')
  const cloned = await runCommand({
    argv: ['git', 'clone', '--quiet', '--no-hardlinks', root, clone],
    cwd: directory,
    env: node.env,
    timeoutMs: 60_000,
  })
  if (cloned.failure) throw new Error(`git clone ${cloned.failure}\n${cloned.output}`)
  const npm = (timeoutMs: number, ...args: string[]) =>
    runCommand({ argv: [...node.npm, ...args], cwd: clone, env: node.env, timeoutMs })
  const run: Record<StepName, () => Promise<CommandResult>> = {
    'npm ci': async () => withoutWarnings(await npm(900_000, 'ci')),
    build: () => npm(300_000, 'run', 'build'),
    tests: () => npm(testsTimeoutMs, 'test'),
    sandbox: () => trySandbox(node, { clone, home: join(directory, 'sandbox') }),
  }
  const steps: Partial<Record<StepName, CommandResult>> = {}
  const failures: string[] = []
  for (const name of stepNames) {
    log(`Node ${node.version}: ${name} …`)
    const result = await run[name]()
    steps[name] = result
    log(`Node ${node.version}: ${name} ${result.failure ?? 'ok'} (${result.seconds.toFixed(1)} s)`)
    if (result.failure) {
      log(lastLines(result.output))
      failures.push(`${name} ${result.failure}`)
    }
    // Tests and sandbox need the build.
    if (result.failure && name === 'build') break
  }
  return { version: node.version, steps, failures }
}

/** Returns the result as failed if npm warned about a package. Ignores warnings about the user's settings. */
export function withoutWarnings(result: CommandResult): CommandResult {
  const warnings = result.output.split('\n').filter((line) => /^npm warn (?!Unknown \w+ config)/i.test(line))
  return result.failure || warnings.length === 0 ? result : { ...result, failure: `npm warned: ${warnings.join('; ')}` }
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-60).join('\n')
}
