import type { Answer } from './call.ts'
import type { InjectedFault } from './fault.ts'

export type Violation = {
  readonly atMs: number
  readonly words: string
  readonly during: readonly string[]
  times: number
}

/** A request, by its endpoint; without an answer its connection failed. */
export type Tallied = { readonly endpoint: string; readonly answer?: Answer | undefined }

/** What happened so far, in numbers and words. */
export type Tally = {
  readonly faults: readonly InjectedFault[]
  /** By endpoint, then by status and code. */
  readonly requests: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly violations: readonly Violation[]
  /** Returns a function that ends it. */
  begin(fault: InjectedFault): (ended: Pick<InjectedFault, 'endedMs' | 'skipped'>) => void
  count(made: Tallied): void
  violate(words: string, atMs: number): void
}

// Of one kind of violation the first says what is wrong; a thousand would hide the next kind.
const printedMax = 5

/** `print` gets every kind of violation at once, the first few times. */
export function createTally(print: (violation: Violation) => void): Tally {
  const faults: InjectedFault[] = []
  const requests = new Map<string, Map<string, number>>()
  const violations = new Map<string, Violation>()
  return {
    faults,
    requests,
    get violations() {
      return [...violations.values()]
    },
    begin: (fault) => {
      const index = faults.push(fault) - 1
      return (ended) => {
        faults[index] = { ...fault, ...ended }
      }
    },
    count: ({ endpoint, answer }) => {
      const statuses = requests.get(endpoint) ?? new Map<string, number>()
      const status = answer ? `${answer.status}${codeOf(answer)}` : 'connection'
      requests.set(endpoint, statuses.set(status, (statuses.get(status) ?? 0) + 1))
    },
    violate: (words, atMs) => {
      // Numbers differ from one to the next of the same kind.
      const kind = words.replace(/\d+/g, '#').slice(0, 160)
      const known = violations.get(kind)
      const during = faults.filter((fault) => isFelt(fault, atMs)).map(({ kind, replicas }) => `${kind} (${replicas})`)
      const violation = known ?? { atMs, words, during, times: 0 }
      violation.times++
      violations.set(kind, violation)
      if (violation.times <= printedMax) print({ ...violation, atMs, words, during })
    },
  }
}

// What is over may still be felt; whoever reads the violation should know of it.
const feltMs = 20_000

function isFelt({ startedMs, endedMs = Number.POSITIVE_INFINITY, skipped }: InjectedFault, atMs: number): boolean {
  return skipped === undefined && startedMs <= atMs && atMs <= endedMs + feltMs
}

function codeOf({ status, body }: { readonly status: number; readonly body: string }): string {
  if (status < 400) return ''
  return ` ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`
}
