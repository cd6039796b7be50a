import { setTimeout } from 'node:timers/promises'
import { TallystickError } from '@tallystick/core'
import type { IndexJob, Operator } from '@tallystick/service'
import type { CommonOptions } from '../options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatProgress } from './format-job.ts'

const pollMs = 250
// Interval of the lines in a pipe or a file. On a terminal one line is rewritten.
const lineMs = 10_000

/** Waits for the end of a job and shows its progress. Ctrl-C leaves a job of the service running. */
export async function followJob(
  operator: Pick<Operator, 'showIndex'>,
  { job, terminal, options }: { readonly job: IndexJob; readonly terminal: Terminal; readonly options: CommonOptions },
): Promise<IndexJob> {
  const show = createProgressLines(terminal, options)
  const { runsIn } = await operator.showIndex()
  const interrupt = () => {
    show.end()
    terminal.stderr.write(`${describeInterrupt(job, runsIn)}\n`)
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  try {
    for (;;) {
      const { chains } = await operator.showIndex()
      const current = chains.find(({ chainId }) => chainId === job.chainId)?.job
      if (current?.id !== job.id) throw restarted(job)
      if (current.state !== 'running') return current
      show.line(formatProgress(current))
      await setTimeout(pollMs)
    }
  } finally {
    show.end()
    process.off('SIGINT', interrupt)
  }
}

function describeInterrupt({ kind, chainId }: IndexJob, runsIn: 'service' | 'command'): string {
  if (runsIn === 'service') {
    return `The ${kind} of the index of chain ${chainId} continues in the service. \`tallystick index show\` shows it.`
  }
  return `The ${kind} of the index of chain ${chainId} was aborted. The index is unchanged.`
}

function createProgressLines(
  { stderr }: Terminal,
  { json }: CommonOptions,
): { readonly line: (text: string) => void; readonly end: () => void } {
  if (json) return { line: () => undefined, end: () => undefined }
  if (stderr.isTTY) {
    return { line: (text) => stderr.write(`\r\u001b[K${text}`), end: () => void stderr.write('\r\u001b[K') }
  }
  let last = { atMs: Number.NEGATIVE_INFINITY, text: '' }
  return {
    line: (text) => {
      const nowMs = performance.now()
      const step = (line: string) => line.split(':', 1)[0]
      if (text === last.text || (nowMs - last.atMs < lineMs && step(text) === step(last.text))) return
      last = { atMs: nowMs, text }
      stderr.write(`${text}\n`)
    },
    end: () => undefined,
  }
}

function restarted({ kind, chainId }: IndexJob): TallystickError {
  return new TallystickError({
    code: 'server_unreachable',
    message: `The service was restarted, which ended the ${kind} of the index of chain ${chainId}. Run the command again.`,
    retryable: true,
  })
}
