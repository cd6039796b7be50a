import { periodAt, type WireNote } from '@tallystick/core'
import type { Admission, Allowance } from './allowance.ts'
import type { Answer } from './call.ts'
import { type Endpoint, embeddedChainId, type Failure, hadChanceToSign, isExplained, remoteChainId } from './explain.ts'
import type { InjectedFault, ReplicaName } from './fault.ts'
import type { Ledger, Span } from './ledger.ts'

/** A request and what became of it. Milliseconds are counted from the beginning of the load. */
export type Exchange = {
  readonly replica: ReplicaName
  /** Which of its processes, counted. */
  readonly run: number
  readonly endpoint: Endpoint
  readonly path: string
  /** The chains asked about. */
  readonly chains: readonly number[]
  /** Of a limited key on this run of the replica; undefined where the key has no limit. */
  readonly allowance?: Allowance | undefined
  readonly sentMs: number
  readonly receivedMs: number
  /** What the true time may have been, Unix milliseconds. */
  readonly times: readonly Span[]
  /** By how much the replica's clock may have been wrong, then or as short before as it may not have noticed the end. */
  readonly steps: readonly number[]
  /** Undefined if the connection failed; `problem` says how. */
  readonly answer?: Answer | undefined
  readonly problem?: string | undefined
}

export type Surroundings = {
  readonly ledger: Ledger
  readonly faults: readonly InjectedFault[]
  /** Since when the notes of a period could be signed, by its first second. */
  readonly signableSinceMs: ReadonlyMap<bigint, number>
  /** Whose notes a process has served already: it has them in memory, whatever happens to the rest. */
  readonly served: Set<string>
}

export type Judgement = { readonly violations: readonly string[]; readonly fresh: readonly WireNote[] }

const chainIds = [remoteChainId, embeddedChainId] as const
const statusOfCode: Readonly<Record<string, number>> = { upstream_failed: 502, upstream_timeout: 504 }
/** A clock is compared every few seconds, on a busy machine somewhat less often. */
export const noticeMs = 10_000
// With a right clock a note is served inside its period to the millisecond. With a wrong one the period is told by a
// comparison, which is as exact as its round trip is short.
const wrongClockToleranceMs = 1_000
const marginMs = 1_000
const fine: Judgement = { violations: [], fresh: [] }

/** What an exchange breaks of what the service promises, the faults in force taken into account. */
export function judge(exchange: Exchange, surroundings: Surroundings): Judgement {
  const { answer, endpoint, allowance } = exchange
  const fault = allowance?.take({ ...exchange, admission: admissionOf(answer) })
  if (fault) return blame(fault)
  if (!answer) {
    return accuse(exchange, { surroundings, answers: [{ answer: 'connection' }], words: exchange.problem ?? '' })
  }
  if (allowance && answer.status === 429) return judgeRefusal(answer)
  const isGood = answer.status === 200 || (answer.status === 304 && endpoint === '/notes')
  if (!isGood) return judgeFailure(exchange, { answer, surroundings })
  if (endpoint === '/notes') return judgeNotes(exchange, { answer, surroundings })
  if (endpoint === '/data') return judgeData(exchange, { answer, surroundings })
  return judgeRate(answer, surroundings)
}

type Judged = { readonly answer: Answer; readonly surroundings: Surroundings }

function admissionOf(answer: Answer | undefined): Admission {
  if (!answer) return 'unknown'
  return answer.status === 429 ? 'sent away' : 'let in'
}

function judgeRefusal({ headers }: Answer): Judgement {
  const seconds = Number(headers['retry-after'])
  return seconds >= 1 && seconds <= 60 ? fine : blame('429 without a Retry-After of 1 to 60')
}

function judgeFailure(exchange: Exchange, { answer, surroundings }: Judged): Judgement {
  const { code, message, details } = parse(answer.body) as ErrorBody
  const words = `${answer.status} ${code}`
  if (words === '500 notes_unavailable' && exchange.endpoint === '/notes') {
    if (!(Number(answer.headers['retry-after']) >= 1)) return blame(`${words} without a Retry-After`)
    return judgeMissing(exchange, { surroundings, words })
  }
  const failed = details?.chains?.map(({ chain, errors }) => ({ chain, answer: toAnswer(errors[0]?.code) }))
  return accuse(exchange, { surroundings, answers: failed ?? [{ answer: words }], words: `${words}: ${message}` })
}

/** Notes that are not there are right only if the replica's clock is wrong about the period, or it never had a chance to get them. */
function judgeMissing(
  exchange: Exchange,
  { surroundings, words }: { readonly surroundings: Surroundings; readonly words: string },
): Judgement {
  if (mayDisagree(exchange)) return fine
  const { replica, times, receivedMs } = exchange
  const { faults, signableSinceMs, served } = surroundings
  if (servedKeys(exchange).every((key) => served.has(key))) return blame(`${words} though they were served before`)
  const isGuilty = times.every(({ toMs }) => {
    const sinceMs = signableSinceMs.get(periodStartAt(toMs)) ?? Number.NEGATIVE_INFINITY
    return hadChanceToSign(faults, { replica, sinceMs, untilMs: receivedMs })
  })
  return isGuilty ? blame(`${words} though the notes could have been signed`) : fine
}

/** One for each chain asked about and period that it may have been. */
function servedKeys({ replica, run, chains, times }: Exchange): readonly string[] {
  const periods = new Set(times.flatMap(({ fromMs, toMs }) => [periodStartAt(fromMs), periodStartAt(toMs)]))
  return chains.flatMap((chain) => [...periods].map((start) => `${replica} ${run} ${chain} ${start}`))
}

/** Whether the clock of a replica and the true time may have been in different periods. */
function mayDisagree({ times, steps }: Pick<Exchange, 'times' | 'steps'>): boolean {
  // What was measured before the clock was set is wrong by as much in the other direction.
  const isChanging = steps.length > 1
  const errors = steps.flatMap((stepMs) => (isChanging ? [stepMs, -stepMs] : [stepMs])).filter((ms) => ms !== 0)
  return times.some(({ fromMs, toMs }) =>
    errors.some((errorMs) => {
      const instants = [fromMs, fromMs + errorMs, toMs, toMs + errorMs]
      const periods = instants.flatMap((ms) => [periodStartAt(ms - marginMs), periodStartAt(ms + marginMs)])
      return new Set(periods).size > 1
    }),
  )
}

function periodStartAt(ms: number): bigint {
  return periodAt(BigInt(Math.floor(ms / 1000))).start
}

function judgeNotes(exchange: Exchange, { answer, surroundings }: Judged): Judgement {
  const { path, times, steps } = exchange
  const toleranceMs = steps.some((stepMs) => stepMs !== 0) ? wrongClockToleranceMs : 0
  const { violations, fresh } = surroundings.ledger.take({ path, times, toleranceMs, body: answer.body })
  if (exchange.chains.length === 1 || !answer.body.includes('None are available for chain')) {
    const keys = servedKeys(exchange)
    // Across a boundary nobody knows whose they were.
    if (keys.length === exchange.chains.length) for (const key of keys) surroundings.served.add(key)
    return { violations, fresh }
  }
  const missing = judgeMissing(exchange, { surroundings, words: 'notes of one chain only' })
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

function judgeData(exchange: Exchange, { answer, surroundings }: Judged): Judgement {
  const entries = parse(answer.body) as readonly DataEntry[]
  if (!Array.isArray(entries) || entries.map(({ chain }) => chain).join() !== exchange.chains.join()) {
    return blame(`/data answered for other chains than ${exchange.chains}`)
  }
  const failed = entries.filter(({ errors }) => errors !== undefined)
  const answers = failed.map(({ chain, errors }) => ({ chain, answer: toAnswer(errors?.[0]?.code) }))
  const words = failed
    .map(({ chain, errors }) => `chain ${chain}: ${errors?.[0]?.code} ${errors?.[0]?.message}`)
    .join('; ')
  return accuse(exchange, { surroundings, answers, words: `200 with ${words}` })
}

type RateBody = {
  readonly chains: readonly {
    readonly chainid: string
    readonly fixedRates: readonly { readonly maturity_timestamp: string; readonly coupon: string }[]
  }[]
}

function judgeRate({ body }: Answer, { ledger }: Surroundings): Judgement {
  const { chains } = parse(body) as Partial<RateBody>
  if (chains?.map(({ chainid }) => Number(chainid)).join() !== chainIds.join()) {
    return blame(`/rate answered for other chains than ${chainIds}: ${body.slice(0, 200)}`)
  }
  for (const { chainid, fixedRates } of chains) {
    for (const { maturity_timestamp, coupon } of fixedRates) ledger.takeRate({ chainid, maturity_timestamp, coupon })
  }
  return fine
}

/** Violations for those of the failures that no fault explains. */
function accuse(
  exchange: Exchange,
  {
    surroundings,
    answers,
    words,
  }: {
    readonly surroundings: Surroundings
    readonly answers: readonly Pick<Failure, 'chain' | 'answer'>[]
    readonly words: string
  },
): Judgement {
  const [only, ...more] = exchange.chains
  const chain = more.length === 0 ? only : undefined
  const isUnexplained = answers.some((failed) => !isExplained({ chain, ...exchange, ...failed }, surroundings.faults))
  return isUnexplained ? blame(words) : fine
}

function blame(words: string): Judgement {
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
