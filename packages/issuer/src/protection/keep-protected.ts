import { joinRuns, type MetricHelp, repeat, toSeconds } from '@tallystick/base'
import { type Finding, periodAfter, periodAt } from '@tallystick/core'
import type { IssuerHost } from '../issuer-host.ts'
import type { JournalImport } from '../journal/journal-import.ts'
import type { SignerJournal } from '../journal/signer-journal.ts'
import type { IssuerChain } from '../settings.ts'
import type { Claim } from './claim.ts'
import type { Contradiction, SignerProtection } from './signer-protection.ts'

export const protectionMetricHelp: MetricHelp = {
  tallystick_signer_protection_unavailable:
    'ALARM: 1 while the database of signer.protection cannot be used, so that nothing is signed.',
}

export type KeepProtectedOptions = Pick<IssuerHost, 'time' | 'metrics' | 'log'> & {
  readonly protection: SignerProtection
  readonly journal: Pick<SignerJournal, 'find' | 'periods'>
  readonly chains: readonly IssuerChain[]
}

const intervalMs = 10_000
const batchSize = 500

/**
 * Copies this replica's journal to the shared protection: all of it at the start and after an outage, then the current and the
 * next period again and again. So a protection that was restored from an old backup has what this replica signed.
 */
export function keepProtected(options: KeepProtectedOptions) {
  const { protection, time, metrics } = options
  const log = createProblemLogger(options.log)
  const stopping = new AbortController()
  let isComplete = false
  const { run: start, settle } = joinRuns(async () => {
    try {
      const claims = isComplete ? listOpen(options) : listAll(options.journal)
      await restateEach(options, { claims, signal: stopping.signal })
      isComplete = true
    } catch {
      isComplete = false
    }
    log(protection.problem())
  })
  metrics.gauge('tallystick_signer_protection_unavailable', () => [{ value: protection.problem() ? 1 : 0 }])
  // Not awaited: a journal of ten years takes seconds, and a claim does not need it.
  void start()
  const timer = repeat(time, { name: 'signer protection', ms: intervalMs }, start)
  return {
    check: (): Finding => {
      const subject = 'signer protection'
      const problem = protection.problem()
      const open = protection.contradictions().filter((one) => isOpen(one, toSeconds(time.now())))
      const message = problem ?? (open.map((one) => one.message).join(' ') || 'responds')
      // Signed notes are served without it.
      return problem || open.length > 0
        ? { subject, severity: 'warn', message, remedy }
        : { subject, severity: 'ok', message }
    },
    stop: async () => {
      timer.stop()
      stopping.abort()
      await settle()
    },
  }
}

const remedy =
  'Nothing is signed without it, and signed notes are still served. "Shared protection" in docs/operating/signer-journal.md explains each case.'

/** Returns whether the notes of a contradiction are still valid, or not yet. */
export function isOpen({ periodStart }: Pick<Contradiction, 'periodStart'>, nowSeconds: bigint): boolean {
  return periodAt(periodStart).end > nowSeconds
}

async function restateEach(
  { protection, time, log }: KeepProtectedOptions,
  { claims, signal }: { readonly claims: Iterable<Claim>; readonly signal: AbortSignal },
): Promise<void> {
  let batch: Claim[] = []
  let ended = 0
  const restate = async () => {
    if (batch.length === 0 || signal.aborted) return
    const found = await protection.restate(batch)
    ended += found.filter((one) => !isOpen(one, toSeconds(time.now()))).length
    batch = []
  }
  for (const claim of claims) {
    batch.push(claim)
    if (batch.length === batchSize) await restate()
  }
  await restate()
  if (ended > 0) log.warn({ periods: ended }, 'the journal and signer.protection differ for ended periods')
}

function* listAll(journal: Pick<SignerJournal, 'periods'>): Iterable<Claim> {
  for (const period of journal.periods()) yield* toClaims(period)
}

function* listOpen({ journal, chains, time }: KeepProtectedOptions): Iterable<Claim> {
  const current = periodAt(toSeconds(time.now()))
  for (const chain of chains) {
    for (const { start: periodStart } of [current, periodAfter(current)]) {
      const { notes } = journal.find({ chain, periodStart }) ?? { notes: new Map() }
      const listed = [...notes].map(([maturity, note]) => ({ ...note, maturity }))
      yield* toClaims({ chainId: chain.id, domain: chain.domain, periodStart, notes: listed })
    }
  }
}

export function toClaims({ notes, ...of }: JournalImport): Claim[] {
  return notes.map(({ maturity, tenorDays, coupon, digest }) => ({ ...of, maturity, tenorDays, coupon, digest }))
}

/** Creates a function that logs each new problem, and its end. */
function createProblemLogger(log: IssuerHost['log']) {
  let logged: string | undefined
  return (problem: string | undefined) => {
    if (problem !== undefined && problem !== logged) log.error({ problem }, 'signer protection unavailable; retrying')
    if (problem === undefined && logged !== undefined) log.info('signer protection recovered')
    logged = problem
  }
}
