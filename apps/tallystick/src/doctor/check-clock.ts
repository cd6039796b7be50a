import { chainAheadToleranceSeconds, chainBehindToleranceSeconds } from '@tallystick/issuer'
import type { Config } from '@tallystick/service'
import { newestHead, type RpcHead } from './chain/read-heads.ts'
import type { ServiceProbe } from './find-service.ts'
import type { Findings } from './findings.ts'

export type ClockCheckContext = {
  /** This machine's clock. */
  readonly nowMs: number
  readonly service: ServiceProbe
  /** How far the database's clock is ahead of this machine's. */
  readonly databaseOffsetMs: number | undefined
  readonly chains: Config['chains']
  readonly heads: ReadonlyMap<number, readonly RpcHead[]>
}

// Clocks kept by NTP differ by milliseconds. The rails tolerate a minute between replicas.
const skewSecondsOk = 5
const skewSecondsMax = 60

/** Compares the clocks of this machine, the service, the database and the chains. */
export function checkClock(findings: Findings, context: ClockCheckContext): void {
  const { service, nowMs, databaseOffsetMs } = context
  const offsetMs = service.state === 'running' ? service.offsetMs : 0
  const chainOffsets = readChainOffsets(context, nowMs + offsetMs)
  if (service.state === 'running') checkService(findings, offsetMs)
  checkDatabase(findings, databaseOffsetMs, chainOffsets)
  for (const { chainId, seconds } of chainOffsets) {
    const subject = offsetMs === 0 ? 'this machine' : 'the service'
    checkChain(findings, { chainId, seconds, subject, databaseOffsetMs })
  }
  for (const { id } of context.chains) {
    const isKnown = chainOffsets.some(({ chainId }) => chainId === id)
    if (!isKnown) findings.skip(`chain ${id}`, 'no RPC of this chain answers')
  }
  if (databaseOffsetMs === undefined || chainOffsets.length === 0) return
  const seconds = [0, databaseOffsetMs / 1000, ...chainOffsets.map((chain) => chain.seconds + offsetMs / 1000)]
  const spread = Math.max(...seconds) - Math.min(...seconds)
  findings.ok('between them', `at most ${spread.toFixed(1)} s between any two of machine, database and newest blocks`)
}

/** Returns each chain's offset; positive if it is ahead of the service's clock. */
function readChainOffsets({ chains, heads }: ClockCheckContext, serviceNowMs: number) {
  return chains.flatMap(({ id }) => {
    const head = newestHead(heads.get(id) ?? [], id)
    return head ? [{ chainId: id, seconds: Math.round(Number(head.timestamp) - serviceNowMs / 1000) }] : []
  })
}

function checkService(findings: Findings, offsetMs: number): void {
  if (offsetMs === 0) {
    findings.ok('service', 'the running service uses this machine’s time')
    return
  }
  const found = `the running service's clock is ${describe(offsetMs / 1000)} this machine's`
  const advice =
    'This is expected with `--at` or if the service runs on another machine. Otherwise synchronize the clocks with NTP.'
  findings.warn('service', found, advice)
}

function checkDatabase(
  findings: Findings,
  offsetMs: number | undefined,
  chainOffsets: readonly { readonly seconds: number }[],
): void {
  if (offsetMs === undefined) {
    findings.skip('database', 'it is embedded, or cannot be read')
    return
  }
  const found = `the database's clock is ${describe(offsetMs / 1000)} this machine's`
  const skew = Math.abs(offsetMs) / 1000
  const chainAgrees = chainOffsets.some(({ seconds }) => Math.abs(seconds) <= skewSecondsMax)
  const advice = chainAgrees
    ? 'The chain agrees with this machine: synchronize the database server’s clock with NTP.'
    : 'Synchronize both clocks with NTP.'
  if (skew <= skewSecondsOk) findings.ok('database', found)
  else if (skew > skewSecondsMax) findings.fail('database', found, advice)
  else findings.warn('database', found, advice)
}

type ChainClock = Pick<ClockCheckContext, 'databaseOffsetMs'> & {
  readonly chainId: number
  readonly seconds: number
  readonly subject: string
}

function checkChain(findings: Findings, { chainId, seconds, subject, databaseOffsetMs }: ChainClock): void {
  const name = `chain ${chainId}`
  const found = `its newest block is ${describe(seconds)} ${subject}`
  if (seconds <= Number(chainAheadToleranceSeconds) && -seconds <= Number(chainBehindToleranceSeconds)) {
    findings.ok(name, found)
    return
  }
  const databaseAgrees = databaseOffsetMs !== undefined && Math.abs(databaseOffsetMs) / 1000 <= skewSecondsMax
  const advice =
    seconds > 0
      ? 'The local clock is behind: synchronize it with NTP. No notes are signed until then.'
      : databaseAgrees
        ? 'The database agrees with this machine: the RPC lags, or its chain is halted. No notes are signed until then.'
        : 'Synchronize the clock with NTP, or fix the RPC if it lags. No notes are signed until then.'
  findings.fail(name, found, advice)
}

function describe(seconds: number): string {
  const size = Math.abs(seconds)
  const amount =
    size < 10 ? `${size.toFixed(1)} s` : size < 7_200 ? `${Math.round(size)} s` : `${Math.round(size / 3600)} h`
  return `${amount} ${seconds >= 0 ? 'ahead of' : 'behind'}`
}
