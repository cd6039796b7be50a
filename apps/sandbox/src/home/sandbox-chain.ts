import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLogThrottle } from '@tallystick/base'
import type { Home } from './home.ts'

/** A chain of the sandbox, with the paths of its files. */
export type SandboxChain = Readonly<ReturnType<typeof describeChains>[number]>

const knownChains = [
  { id: 324, name: 'zkSync Era (sandbox)' },
  { id: 8453, name: 'Base (sandbox)' },
] as const

/** Returns the first `count` chains a sandbox can have. */
export function describeChains(home: Home, count: number) {
  return knownChains.slice(0, count).map(({ id, name }) => {
    const dir = join(home.chains, String(id))
    return {
      id,
      name,
      // Name in messages. It contains the id if the sandbox has several chains.
      label: count === 1 ? 'chain' : `chain ${id}`,
      dir,
      journal: join(dir, 'journal.jsonl'),
      record: join(dir, 'devnet.json'),
    }
  })
}

/** Returns how many chains a directory has, finished or not, or undefined if it has none. */
export function findChainCount(home: Home): number | undefined {
  const last = knownChains.findLastIndex(({ id }) => existsSync(join(home.chains, String(id))))
  return last === -1 ? undefined : last + 1
}

/** Returns a `say` that prefixes lines with the chain's label if there are several chains. */
export function sayFor({ label }: SandboxChain, say: (line: string) => void): (line: string) => void {
  return label === 'chain' ? say : (line) => say(`${label}: ${line.trimStart()}`)
}

const progressMs = 1_000

/** Returns a `say` for progress, which drops lines that are said less than a second after the last one. */
export function createProgress(say: (line: string) => void): (line: string) => void {
  const isDue = createLogThrottle({ everyMs: progressMs })
  isDue()
  return (line) => {
    if (isDue()) say(`  ${line}`)
  }
}
