import type { Config } from '../config.ts'
import { chainAheadToleranceSeconds, chainBehindToleranceSeconds } from '../time/chain-clock.ts'
import type { ServiceProbe } from './find-service.ts'
import type { Findings } from './findings.ts'
import { newestHead, type RpcHead } from './read-heads.ts'

export type ClockCheckContext = {
  /** This machine's. */
  readonly nowMs: number
  readonly service: ServiceProbe
  /** How far the database's clock is ahead of this machine's. */
  readonly databaseOffsetMs: number | undefined
  readonly chains: Config['chains']
  readonly heads: ReadonlyMap<number, readonly RpcHead[]>
}

// What NTP keeps is milliseconds; the rails take replicas for out of step from a minute on.
const skewSecondsOk = 5
const skewSecondsMax = 60

/** Compares every clock at hand with every other: this machine's, the service's, the database's, the chains'. */
export function checkClock(findings: Findings, context: ClockCheckContext): void {
  const { service, nowMs, databaseOffsetMs } = context
  const offsetMs = service.state === 'running' ? service.offsetMs : 0
  const chainOffsets = readChainOffsets(context, nowMs + offsetMs)
  if (service.state === 'running') checkService(findings, offsetMs)
  checkDatabase(findings, databaseOffsetMs, chainOffsets)
  for (const { chainId, seconds } of chainOffsets) {
    const who = offsetMs === 0 ? 'this machine' : 'the service'
    checkChain(findings, { chainId, seconds, who, databaseOffsetMs })
  }
  for (const { id } of context.chains) {
    const isKnown = chainOffsets.some(({ chainId }) => chainId === id)
    if (!isKnown) findings.skip(`chain ${id}`, 'no RPC of this chain tells its time')
  }
  if (databaseOffsetMs === undefined || chainOffsets.length === 0) return
  const seconds = [0, databaseOffsetMs / 1000, ...chainOffsets.map((chain) => chain.seconds + offsetMs / 1000)]
  const spread = Math.max(...seconds) - Math.min(...seconds)
  findings.ok('between them', `at most ${spread.toFixed(1)} s between any two of machine, database and newest blocks`)
}

/** Positive is ahead of the service's time. */
function readChainOffsets({ chains, heads }: ClockCheckContext, serviceNowMs: number) {
  return chains.flatMap(({ id }) => {
    const head = newestHead(heads.get(id) ?? [], id)
    return head ? [{ chainId: id, seconds: Math.round(Number(head.timestamp) - serviceNowMs / 1000) }] : []
  })
}

function checkService(findings: Findings, offsetMs: number): void {
  if (offsetMs === 0) {
    findings.ok('service', 'the running service has this machine’s time')
    return
  }
  findings.warn(
    'service',
    `the running service's clock is ${describe(offsetMs / 1000)} this machine's`,
    'Right for a rehearsal (`--at`) and for a service on another machine; otherwise set the clocks by NTP.',
  )
}

function checkDatabase(
  findings: Findings,
  offsetMs: number | undefined,
  chainOffsets: readonly { readonly seconds: number }[],
): void {
  if (offsetMs === undefined) {
    findings.skip('database', 'it has no clock of its own, or cannot be asked')
    return
  }
  const found = `the database's clock is ${describe(offsetMs / 1000)} this machine's`
  const skew = Math.abs(offsetMs) / 1000
  const chainAgrees = chainOffsets.some(({ seconds }) => Math.abs(seconds) <= skewSecondsMax)
  const advice = chainAgrees
    ? 'The chain agrees with this machine: set the database server’s clock, by NTP.'
    : 'Set both clocks by NTP.'
  if (skew <= skewSecondsOk) findings.ok('database', found)
  else if (skew > skewSecondsMax) findings.fail('database', found, advice)
  else findings.warn('database', found, advice)
}

function checkChain(
  findings: Findings,
  {
    chainId,
    seconds,
    who,
    databaseOffsetMs,
  }: {
    readonly chainId: number
    readonly seconds: number
    readonly who: string
    readonly databaseOffsetMs: number | undefined
  },
): void {
  const name = `chain ${chainId}`
  const found = `its newest block is ${describe(seconds)} ${who}`
  if (seconds <= Number(chainAheadToleranceSeconds) && -seconds <= Number(chainBehindToleranceSeconds)) {
    findings.ok(name, found)
    return
  }
  const databaseAgrees = databaseOffsetMs !== undefined && Math.abs(databaseOffsetMs) / 1000 <= skewSecondsMax
  const advice =
    seconds > 0
      ? 'No block comes from the future: set the clock, by NTP. Notes are not signed meanwhile.'
      : databaseAgrees
        ? 'The database agrees with this machine: the RPC hangs behind, or its chain stands still. Notes are not signed meanwhile.'
        : 'Set the clock, by NTP, or mend the RPC if it hangs behind. Notes are not signed meanwhile.'
  findings.fail(name, found, advice)
}

function describe(seconds: number): string {
  const size = Math.abs(seconds)
  const amount =
    size < 10 ? `${size.toFixed(1)} s` : size < 7_200 ? `${Math.round(size)} s` : `${Math.round(size / 3600)} h`
  return `${amount} ${seconds >= 0 ? 'ahead of' : 'behind'}`
}
