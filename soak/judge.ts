import { periodAt, type WireNote } from '@tallystick/core'
import type { Admission, Allowance } from './allowance.ts'
import type { Answer } from './call.ts'
import { type Endpoint, embeddedChainId, type Failure, hadChanceToSign, isExplained, remoteChainId } from './explain.ts'
import type { InjectedFault, ReplicaName } from './fault.ts'
import type { Ledger, Reading } from './ledger.ts'

/** A request and what became of it. Milliseconds are counted from the beginning of the load. */
export type Exchange = {
  readonly replica: ReplicaName
  readonly endpoint: Endpoint
  readonly path: string
  /** The chains asked about. */
  readonly chains: readonly number[]
  /** Of a limited key on this run of the replica; undefined where the key has no limit. */
  readonly allowance?: Allowance | undefined
  readonly sentMs: number
  readonly receivedMs: number
  readonly readings: readonly Reading[]
  /** Undefined if the connection failed; `problem` says how. */
  readonly answer?: Answer | undefined
  readonly problem?: string | undefined
}

export type Surroundings = {
  readonly ledger: Ledger
  readonly faults: readonly InjectedFault[]
  /** Since when the notes of a period could be signed, by its first second. */
  readonly signableSinceMs: ReadonlyMap<bigint, number>
}

export type Judgement = { readonly violations: readonly string[]; readonly fresh: readonly WireNote[] }

const chainIds = [remoteChainId, embeddedChainId] as const
const statusOfCode: Readonly<Record<string, number>> = { upstream_failed: 502, upstream_timeout: 504 }
const fine: Judgement = { violations: [], fresh: [] }

/** What an exchange breaks of what the service promises, the faults in force taken into account. */
export function judge(exchange: Exchange, surroundings: Surroundings): Judgement {
  const { answer, endpoint, allowance } = exchange
  const fault = allowance?.take({ ...exchange, admission: admissionOf(answer) })
  if (fault) return { violations: [fault], fresh: [] }
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
  return seconds >= 1 && seconds <= 60 ? fine : { violations: ['429 without a Retry-After of 1 to 60'], fresh: [] }
}

function judgeFailure(exchange: Exchange, { answer, surroundings }: Judged): Judgement {
  const { code, message, details } = parse(answer.body) as ErrorBody
  const words = `${answer.status} ${code}`
  if (words === '500 notes_unavailable' && exchange.endpoint === '/notes') {
    return judgeMissing(exchange, { surroundings, words })
  }
  const failed = details?.chains?.map(({ chain, errors }) => ({ chain, answer: toAnswer(errors[0]?.code) }))
  return accuse(exchange, { surroundings, answers: failed ?? [{ answer: words }], words: `${words}: ${message}` })
}

/** Notes that are not there are right only if the replica never had a chance to get them. */
function judgeMissing(
  { replica, readings, receivedMs }: Exchange,
  { surroundings, words }: { readonly surroundings: Surroundings; readonly words: string },
): Judgement {
  const { faults, signableSinceMs } = surroundings
  const isGuilty = readings.every(({ toMs }) => {
    const { start } = periodAt(BigInt(Math.floor(toMs / 1000)))
    const sinceMs = signableSinceMs.get(start) ?? Number.NEGATIVE_INFINITY
    return hadChanceToSign(faults, { replica, sinceMs, untilMs: receivedMs })
  })
  return isGuilty ? { violations: [`${words} though the notes could have been signed`], fresh: [] } : fine
}

function judgeNotes(exchange: Exchange, { answer, surroundings }: Judged): Judgement {
  const { path, readings } = exchange
  const { violations, fresh } = surroundings.ledger.take({ path, readings, body: answer.body })
  if (exchange.chains.length === 1 || !answer.body.includes('None are available for chain'))
    return { violations, fresh }
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
    return { violations: [`/data answered for other chains than ${exchange.chains}`], fresh: [] }
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
    return { violations: [`/rate answered for other chains than ${chainIds}: ${body.slice(0, 200)}`], fresh: [] }
  }
  const wrong = chains.flatMap(({ chainid, fixedRates }) =>
    fixedRates.filter(
      ({ maturity_timestamp, coupon }) => ledger.knowsCoupon({ chainid, maturity_timestamp, coupon }) === false,
    ),
  )
  return { violations: wrong.map((rate) => `/rate tells a coupon no note has: ${JSON.stringify(rate)}`), fresh: [] }
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
  return isUnexplained ? { violations: [words], fresh: [] } : fine
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
