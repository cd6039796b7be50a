import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Whether a process can be bound to one core here. */
const canPin = cpus().length > 1 && spawnSync('taskset', ['--version']).error === undefined

/** Returns the command line that runs a command on one core. */
export function pinTo(core: number, commandLine: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return canPin ? ['taskset', '--cpu-list', String(core), ...commandLine] : commandLine
}
