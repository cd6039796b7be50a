import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Directory for the embedded database, on a small disk of its own if this machine allows it. */
export type Disk = {
  readonly directory: string
  /** Reason why it cannot be filled, or undefined. */
  readonly problem: string | undefined
  /** Uses all free space. */
  fill(): void
  /** Frees the space again. */
  clear(): void
  remove(): void
}

// An empty embedded database takes 40 MB, and its log some segments of 16 MB.
const size = '224m'

export function createDisk(directory: string): Disk {
  mkdirSync(directory, { recursive: true })
  const problem = mount(directory)
  const ballast = join(directory, 'ballast')
  return {
    directory,
    problem,
    fill: () => {
      const file = openSync(ballast, 'a')
      // Decreasing sizes, so that no page is left.
      for (const bytes of [1_048_576, 65_536, 4_096]) {
        const block = Buffer.alloc(bytes, 1)
        while (write(file, block)) {}
      }
      closeSync(file)
    },
    clear: () => rmSync(ballast, { force: true }),
    remove: () => {
      if (problem === undefined) execFileSync('umount', ['--lazy', directory], { stdio: 'ignore' })
    },
  }
}

function mount(directory: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tallystick-soak', directory], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    const words = String((error as { stderr?: unknown }).stderr ?? (error as Error).message)
    return `mounting a small disk failed (${words.trim()}). It needs root on Linux`
  }
}

function write(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
