import { execFileSync } from 'node:child_process'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

type RunningModule = Pick<TestModule, 'relativeModuleId'> & {
  readonly children: { readonly allTests: () => Iterable<Pick<TestCase, 'fullName' | 'result'>> }
}

export type Progress = {
  start(module: RunningModule): void
  /** Records that a test or a hook of the module has finished. */
  advance(module: RunningModule): void
  end(module: RunningModule): void
  /** Returns what is running if nothing finished for 30 s. Each further 30 s return it again. */
  findQuiet(): string[]
  /** Returns the tests whose worker has reported nothing for longer than Vitest lets a test or a hook run. */
  findBlocked(): string[]
}

// A newcomer takes silence for a hang.
const quietMs = 30_000
// Vitest itself ends a test at its limit, unless the test blocks its worker.
const graceMs = 15_000

/** Tracks what runs and when something finished last. */
export function createProgress({ now, hangMs }: { readonly now: () => number; readonly hangMs: number }): Progress {
  // By path: Vitest reports the same file as several objects.
  const running = new Map<string, { readonly module: RunningModule; readonly activeAt: number }>()
  const ended = new Set<string>()
  let saidAt = now()
  const touch = (module: RunningModule) => {
    // Now and then Vitest reports a hook or a result after the end of its file.
    if (ended.has(module.relativeModuleId)) return
    running.set(module.relativeModuleId, { module, activeAt: now() })
    saidAt = now()
  }
  return {
    start: touch,
    advance: touch,
    end: (module) => {
      running.delete(module.relativeModuleId)
      ended.add(module.relativeModuleId)
      saidAt = now()
    },
    findQuiet: () => {
      if (running.size === 0 || now() - saidAt < quietMs) return []
      saidAt = now()
      return [...running.values()].map(
        ({ module, activeAt }) => `${nameOf(module)} (${Math.round((now() - activeAt) / 1000)} s)`,
      )
    },
    findBlocked: () =>
      [...running.values()]
        .filter(({ activeAt }) => now() - activeAt > hangMs + graceMs)
        .map(({ module }) => nameOf(module)),
  }
}

/** Names the first test of a file that has no result: the tests of a file run one after the other. */
function nameOf({ relativeModuleId, children }: RunningModule): string {
  for (const test of children.allTests()) {
    if (test.result().state === 'pending') return `${relativeModuleId} > ${test.fullName}`
  }
  return relativeModuleId
}

/** Prints what is running while nothing finishes, and ends a run in which a test blocks its worker. */
export function createRunningReporter({ hangMs }: { readonly hangMs: number }): Reporter {
  const progress = createProgress({ now: () => performance.now(), hangMs })
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    for (const line of progress.findQuiet()) process.stdout.write(`Still running: ${line}\n`)
    const blocked = progress.findBlocked()
    if (blocked.length > 0) endRun(blocked)
  }
  return {
    onTestRunStart: () => {
      timer = setInterval(look, 1_000)
      timer.unref()
    },
    // The start itself is reported with the first result. A test that blocks its worker has none.
    onTestModuleQueued: progress.start,
    onTestModuleCollected: progress.start,
    onTestCaseResult: ({ module }) => progress.advance(module),
    onHookEnd: ({ entity }) => progress.advance(entity.type === 'module' ? entity : entity.module),
    onTestModuleEnd: progress.end,
    onTestRunEnd: () => clearInterval(timer),
  }
}

function endRun(blocked: readonly string[]): void {
  // The last results of a blocked worker are not reported.
  const what = 'or a later test of the file, blocks its worker. The run ends here.'
  for (const line of blocked) process.stderr.write(`Hangs: ${line}, ${what}\n`)
  // A blocked worker does not notice that this process ends.
  for (const pid of findChildren(process.pid)) process.kill(pid, 'SIGKILL')
  process.exit(1)
}

function findChildren(parent: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, name]) => Number(ppid) === parent && name?.includes('node'))
    .map(([pid]) => Number(pid))
}
