import type { Answer } from '../clients/call.ts'
import type { InjectedFault } from '../faults/fault.ts'

export type Violation = {
  readonly atMs: number
  readonly words: string
  readonly during: readonly string[]
  times: number
}

/** Request to count. Without a response, its connection failed. */
export type CountedRequest = { readonly endpoint: string; readonly answer?: Answer | undefined }

/** Counts of requests, faults and violations so far. */
export type Tally = {
  readonly faults: readonly InjectedFault[]
  /** Number of requests by endpoint, then by status and code. */
  readonly requests: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly violations: readonly Violation[]
  /** Adds a fault. The returned function records its end. */
  begin(fault: InjectedFault): (ended: Pick<InjectedFault, 'endedMs' | 'skipped'>) => void
  count(made: CountedRequest): void
  addViolation(words: string, atMs: number): void
}

// More lines of one kind would hide other kinds.
const printedMax = 5

/** Creates the tally. `print` is called for the first few violations of each kind. */
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
    addViolation: (words, atMs) => {
      // Violations of one kind differ only in numbers.
      const kind = words.replace(/\d+/g, '#').slice(0, 160)
      const known = violations.get(kind)
      const during = faults.filter((fault) => isNear(fault, atMs)).map(({ kind, replicas }) => `${kind} (${replicas})`)
      const violation = known ?? { atMs, words, during, times: 0 }
      violation.times++
      violations.set(kind, violation)
      if (violation.times <= printedMax) print({ ...violation, atMs, words, during })
    },
  }
}

// A fault may have effects after its end.
const effectMs = 20_000

function isNear({ startedMs, endedMs = Number.POSITIVE_INFINITY, skipped }: InjectedFault, atMs: number): boolean {
  return skipped === undefined && startedMs <= atMs && atMs <= endedMs + effectMs
}

function codeOf({ status, body }: { readonly status: number; readonly body: string }): string {
  if (status < 400) return ''
  return ` ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`
}
