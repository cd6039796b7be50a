import type { WireNote } from '@tallystick/core'
import type { Answer } from '../clients/call.ts'
import type { FaultKind, InjectedFault, ReplicaName } from '../faults/fault.ts'
import type { Admission, Allowance } from './allowance.ts'
import {
  type Endpoint,
  embeddedChainId,
  type Failure,
  hadChanceToSign,
  isExplained,
  notesUnavailable,
  remoteChainId,
} from './explain.ts'
import type { Ledger, Span } from './ledger.ts'
import { mayDisagree, periodStartAt } from './may-disagree.ts'
import { findRejectedNotes } from './rejected-notes.ts'

/** Request with its result. Milliseconds count from the start of the load. */
export type Exchange = {
  readonly replica: ReplicaName
  /** Number of the replica's process. */
  readonly run: number
  readonly endpoint: Endpoint
  readonly path: string
  /** Requested chains. */
  readonly chains: readonly number[]
  /** Rate limit check of the key on all replicas, or undefined if the key has no limit. */
  readonly allowance?: Allowance | undefined
  readonly sentMs: number
  readonly receivedMs: number
  /** Possible true times, Unix milliseconds. */
  readonly times: readonly Span[]
  /** Possible errors of the replica's clock during the request or shortly before it. */
  readonly steps: readonly number[]
  /** Response, or undefined if the connection failed. `problem` has the reason. */
  readonly answer?: Answer | undefined
  readonly problem?: string | undefined
}

/** State that `judge` needs besides the exchange. */
export type JudgeContext = {
  readonly ledger: Ledger
  readonly faults: readonly InjectedFault[]
  /** Time since when the notes of a period can be signed, by its start. */
  readonly signableSinceMs: ReadonlyMap<bigint, number>
  /** Processes, chains and periods whose notes were already served. They are in memory from then on. */
  readonly served: Set<string>
}

export type Judgement = { readonly violations: readonly string[]; readonly fresh: readonly WireNote[] }

const chainIds = [remoteChainId, embeddedChainId] as const
const statusOfCode: Readonly<Record<string, number>> = { upstream_failed: 502, upstream_timeout: 504 }
/** Time in which a replica must notice a wrong clock: it compares clocks every few seconds, less often on a busy machine. */
export const noticeMs = 10_000
// With a correct clock, notes are served exactly inside their period. With a wrong one, the accuracy depends on the round
// trip of the comparison.
const wrongClockToleranceMs = 1_000
const noViolation: Judgement = { violations: [], fresh: [] }

/** Returns the violations of an exchange, considering the active faults. */
export function judge(exchange: Exchange, context: JudgeContext): Judgement {
  const { answer, endpoint, allowance } = exchange
  const atLeast = allowance ? leastAllowed(allowance.limit, { faults: context.faults, sentMs: exchange.sentMs }) : 0
  const mayRepeat = hasForgotten(context.faults, exchange.sentMs)
  const fault = allowance?.take({ ...exchange, admission: admissionOf(answer), atLeast, mayRepeat })
  if (fault) return toViolation(fault)
  if (!answer) {
    return findUnexplained(exchange, { context, answers: [{ answer: 'connection' }], words: exchange.problem ?? '' })
  }
  if (allowance && answer.status === 429) return judgeRefusal(answer)
  const isGood = answer.status === 200 || (answer.status === 304 && endpoint === '/notes')
  if (!isGood) return judgeFailure(exchange, { answer, context })
  if (endpoint === '/notes') return judgeNotes(exchange, { answer, context })
  if (endpoint === '/data') return judgeData(exchange, { answer, context })
  return judgeRate(answer, context)
}

type Judged = { readonly answer: Answer; readonly context: JudgeContext }

function admissionOf(answer: Answer | undefined): Admission {
  if (!answer) return 'unknown'
  if (answer.status !== 429) return 'admitted'
  return answer.headers['retry-after'] === '1' ? 'postponed' : 'throttled'
}

// The limit of a key is exact to 5 %. One more request of the other caller may be pending.
const tolerance = 0.95
const pendingMax = 1
// A killed replica still has its share for 10 s beside the one that replaces it, and in a minute two can be killed.
const sharesMax = 4
const windowMs = 60_000
const sharing: ReadonlySet<FaultKind> = new Set(['postgres-stop', 'postgres-stall', 'replica-kill'])

/** Returns the requests that a limited key must get in a minute, considering the faults of that minute. */
function leastAllowed(
  limit: number,
  { faults, sentMs }: { readonly faults: readonly InjectedFault[]; readonly sentMs: number },
): number {
  const recent = faults.filter(({ endedMs = Number.POSITIVE_INFINITY }) => endedMs > sentMs - 2 * windowMs)
  // For 10 s after the restore nobody takes more.
  if (recent.some(({ kind }) => kind === 'database-restore')) return 0
  const hasShareOnly = recent.some(({ kind }) => sharing.has(kind))
  return Math.floor((limit * tolerance) / (hasShareOnly ? sharesMax : 1)) - pendingMax
}

/** Returns whether all replicas were killed and the database was restored within two minutes: nobody knows that use. */
function hasForgotten(faults: readonly InjectedFault[], sentMs: number): boolean {
  return faults.some(
    ({ kind, variant, endedMs = Number.POSITIVE_INFINITY }) =>
      kind === 'database-restore' && variant === 1 && endedMs > sentMs - 2 * windowMs,
  )
}

function judgeRefusal({ headers }: Answer): Judgement {
  const seconds = Number(headers['retry-after'])
  return seconds >= 1 && seconds <= 60 ? noViolation : toViolation('429 without a Retry-After of 1 to 60')
}

function judgeFailure(exchange: Exchange, { answer, context }: Judged): Judgement {
  const { code, message, details } = parse(answer.body) as ErrorBody
  const words = `${answer.status} ${code}`
  if (words === notesUnavailable && exchange.endpoint === '/notes') {
    if (!(Number(answer.headers['retry-after']) >= 1)) return toViolation(`${words} without a Retry-After`)
    return judgeMissing(exchange, { context, words, absent: exchange.chains })
  }
  const failed = details?.chains?.map(({ chain, errors }) => ({ chain, answer: toAnswer(errors[0]?.code) }))
  return findUnexplained(exchange, { context, answers: failed ?? [{ answer: words }], words: `${words}: ${message}` })
}

/** Checks missing notes. They are allowed if the replica's clock is in the wrong period, or if it had no chance to sign. */
function judgeMissing(
  exchange: Exchange,
  {
    context,
    words,
    absent,
  }: { readonly context: JudgeContext; readonly words: string; readonly absent: readonly number[] },
): Judgement {
  if (mayDisagree(exchange)) return noViolation
  const failures = absent.map((chain) => ({ ...exchange, chain, answer: notesUnavailable }))
  if (failures.every((failure) => isExplained(failure, context.faults))) return noViolation
  const { replica, times, receivedMs } = exchange
  const { faults, signableSinceMs, served } = context
  if (servedKeys(exchange).every((key) => served.has(key)))
    return toViolation(`${words} although they were served before`)
  const isGuilty = times.every(({ toMs }) => {
    const sinceMs = signableSinceMs.get(periodStartAt(toMs)) ?? Number.NEGATIVE_INFINITY
    return hadChanceToSign(faults, { replica, sinceMs, untilMs: receivedMs })
  })
  return isGuilty ? toViolation(`${words} although the notes could have been signed`) : noViolation
}

/** Returns a key for each requested chain and possible period. */
function servedKeys({ replica, run, chains, times }: Exchange): readonly string[] {
  const periods = new Set(times.flatMap(({ fromMs, toMs }) => [periodStartAt(fromMs), periodStartAt(toMs)]))
  return chains.flatMap((chain) => [...periods].map((start) => `${replica} ${run} ${chain} ${start}`))
}

function judgeNotes(exchange: Exchange, { answer, context }: Judged): Judgement {
  const { path, times, steps } = exchange
  const toleranceMs = steps.some((stepMs) => stepMs !== 0) ? wrongClockToleranceMs : 0
  const { violations, fresh } = context.ledger.take({ path, times, toleranceMs, body: answer.body })
  const rejected = findRejectedNotes(exchange, { body: answer.body, faults: context.faults })
  if (rejected) return { violations: [...violations, rejected], fresh }
  const absent = exchange.chains.filter((chain) => !answer.body.includes(`"chainid":"${chain}"`))
  if (absent.length === 0) {
    const keys = servedKeys(exchange)
    // Across a boundary the period of the notes is not known.
    if (keys.length === exchange.chains.length) for (const key of keys) context.served.add(key)
    return { violations, fresh }
  }
  const missing = judgeMissing(exchange, { context, words: 'notes of one chain only', absent })
  return { violations: [...violations, ...missing.violations], fresh }
}

type ErrorBody = {
  readonly code?: string
  readonly message?: string
  readonly details?: {
    readonly chains?: readonly { readonly chain: number; readonly errors: readonly { code?: string }[] }[]
  }
}
type DataEntry = { readonly chain: number; readonly data: unknown; readonly errors?: readonly ErrorBody[] }

function judgeData(exchange: Exchange, { answer, context }: Judged): Judgement {
  const entries = parse(answer.body) as readonly DataEntry[]
  if (!Array.isArray(entries) || entries.map(({ chain }) => chain).join() !== exchange.chains.join()) {
    return toViolation(`/data returned other chains than ${exchange.chains}`)
  }
  const failed = entries.filter(({ errors }) => errors !== undefined)
  const answers = failed.map(({ chain, errors }) => ({ chain, answer: toAnswer(errors?.[0]?.code) }))
  const words = failed
    .map(({ chain, errors }) => `chain ${chain}: ${errors?.[0]?.code} ${errors?.[0]?.message}`)
    .join('; ')
  return findUnexplained(exchange, { context, answers, words: `200 with ${words}` })
}

type RateBody = {
  readonly chains: readonly {
    readonly chainid: string
    readonly fixedRates: readonly { readonly maturity_timestamp: string; readonly coupon: string }[]
  }[]
}

function judgeRate({ body }: Answer, { ledger }: JudgeContext): Judgement {
  const { chains } = parse(body) as Partial<RateBody>
  if (chains?.map(({ chainid }) => Number(chainid)).join() !== chainIds.join()) {
    return toViolation(`/rate returned other chains than ${chainIds}: ${body.slice(0, 200)}`)
  }
  for (const { chainid, fixedRates } of chains) {
    for (const { maturity_timestamp, coupon } of fixedRates) ledger.takeRate({ chainid, maturity_timestamp, coupon })
  }
  return noViolation
}

/** Returns a violation if no fault explains one of the failures. */
function findUnexplained(
  exchange: Exchange,
  {
    context,
    answers,
    words,
  }: {
    readonly context: JudgeContext
    readonly answers: readonly Pick<Failure, 'chain' | 'answer'>[]
    readonly words: string
  },
): Judgement {
  const [only, ...more] = exchange.chains
  const chain = more.length === 0 ? only : undefined
  const isUnexplained = answers.some((failed) => !isExplained({ chain, ...exchange, ...failed }, context.faults))
  return isUnexplained ? toViolation(words) : noViolation
}

function toViolation(words: string): Judgement {
  return { violations: [words], fresh: [] }
}

function toAnswer(code = 'none'): string {
  return `${statusOfCode[code] ?? '?'} ${code}`
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}
