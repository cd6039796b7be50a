import { countOf } from '@tallystick/base/pure'
import type { PoolPauses, PoolState, PoolViews } from '@tallystick/chain'
import { findMissingIncome, isIncomeStale } from '@tallystick/core'
import { adviseOnSigner } from '@tallystick/issuer'
import type { ChainConfig } from '@tallystick/service'
import { domainSeparator, isAddressEqual } from 'viem'
import type { Findings } from '../findings.ts'
import { type ChainCheckContext, leastSecondsToMaturity, type PoolCheckContext } from './chain-check-context.ts'
import { checkFreshNote, checkOfferedNotes, checkWiring } from './simulate-pool-calls.ts'

const checkManually = 'Is it a pool of this protocol? If so, check the value manually.'

/** Checks that the contract at the pool's address matches the configuration and accepts our notes. */
export async function checkPool(findings: Findings, { context, reader, headSeconds }: PoolCheckContext): Promise<void> {
  const { chain, nowSeconds } = context
  const pool = chain.domain.verifyingContract
  if (!(await reader.hasCode())) {
    const found = `there is no contract at ${pool} on chain ${chain.id}`
    return findings.fail('pool', found, 'Correct chains[].pool, or chains[].rpc.')
  }
  findings.ok('pool', `there is a contract at ${pool}`)
  const [values, state] = await Promise.all([reader.readViews(), reader.readState()])
  checkDomain(findings, { values, chain })
  checkRegisteredSigner(findings, { state, context })
  checkLimits(findings, { state, context })
  checkPauses(findings, state)
  checkFloatingIncome(findings, { values, nowSeconds })
  await checkFreshNote(findings, { context, reader, headSeconds })
  await checkOfferedNotes(findings, { context, reader })
  await checkWiring(findings, { state, context, reader })
}

type StateCheck = { readonly state: PoolState; readonly context: ChainCheckContext }

function checkDomain(
  findings: Findings,
  { values, chain }: { readonly values: PoolViews; readonly chain: ChainConfig },
): void {
  const expected = domainSeparator({ domain: { ...chain.domain, chainId: chain.id } })
  const actual = values.DOMAIN_SEPARATOR
  const { name, version } = chain.domain
  if (actual === undefined) missing(findings, 'domain separator', 'DOMAIN_SEPARATOR')
  else if (actual === expected) findings.ok('domain separator', `the pool's matches, ${expected.slice(0, 10)}…`)
  else {
    const found = `the pool's is ${actual.slice(0, 10)}…, the configured one is ${expected.slice(0, 10)}… (name "${name}", version "${version}", chain ${chain.id}): it refuses every note`
    findings.fail('domain separator', found, 'Correct chains[].domain, chains[].id or chains[].pool.')
  }
}

function checkRegisteredSigner(findings: Findings, { state, context }: StateCheck): void {
  const { signer, chain, config } = context
  const name = 'registered signer'
  const registered = state.signer
  const found = `the pool accepts notes of ${registered}`
  const { next } = chain.signer
  if (registered === undefined) {
    findings.warn(name, 'validatePriceFeed does not reject a note of another signer', checkManually)
  } else if (!signer) findings.skip(name, `${found}; the configured signer is unavailable`)
  else if (isAddressEqual(registered, signer.address)) findings.ok(name, found)
  else if (next && isAddressEqual(next, signer.address)) {
    const planned = `${found}, not yet of the configured signer ${next}, which signer.next announces`
    findings.warn(name, planned, `Call setVerifierSigner(${next}) at the boundary at which its first notes begin.`)
  } else {
    const conflict = `${found}, but the configured signer is ${signer.address}: it refuses every note`
    findings.fail(name, conflict, adviseOnSigner({ config, chain, configured: signer.address, registered }))
  }
}

/** Compares the pool's present limits with the notes, the curves in force and the configuration. */
function checkLimits(findings: Findings, { state: { limits }, context }: StateCheck): void {
  const { chain, notes, coupons, tenors } = context
  const { maxCouponLimit, minMaturityLimit } = limits
  const setCurve = `tallystick curve set … --chain ${chain.id}`
  const offered = [...notes.map(({ coupon }) => coupon), ...coupons.map(BigInt)]
  const tooHigh = new Set(offered.filter((bps) => maxCouponLimit !== undefined && bps > maxCouponLimit))
  checkLimit(findings, {
    name: 'coupon limit',
    configured: { field: 'maxCouponBps', value: chain.maxCouponBps },
    limit: maxCouponLimit,
    found: `the pool accepts up to ${maxCouponLimit} bps`,
    conflict: tooHigh.size > 0 ? `there are coupons of ${[...tooHigh].join(', ')} bps` : undefined,
    remedy: `Set lower coupons with \`${setCurve}\`, or raise the limit with setMaxCouponLimit.`,
  })
  const least = leastSecondsToMaturity(context)
  const isTooShort = minMaturityLimit !== undefined && least < minMaturityLimit
  checkLimit(findings, {
    name: 'maturity limit',
    configured: { field: 'minMaturitySeconds', value: chain.minMaturitySeconds },
    limit: minMaturityLimit,
    found: `the pool requires ${minMaturityLimit} s to maturity`,
    conflict: isTooShort ? `the ${tenors[0]}-day note matures ${least} s after its period` : undefined,
    remedy: `Remove ${tenors[0]} from the chain’s tenors, or set a curve without it: \`${setCurve}\`.`,
  })
}

type Limit = {
  readonly name: string
  readonly configured: { readonly field: 'maxCouponBps' | 'minMaturitySeconds'; readonly value: number }
  /** Undefined if it is not known. */
  readonly limit: bigint | undefined
  readonly found: string
  /** Which notes do not respect it. */
  readonly conflict: string | undefined
  readonly remedy: string
}

/** If all notes respect a limit, the configured one must be as strict: otherwise the pool's applies. */
function checkLimit(findings: Findings, { name, configured, limit, found, conflict, remedy }: Limit): void {
  const { field, value } = configured
  if (limit === undefined) {
    const unknown = 'the RPC returns no event of the pool about it, so it is not known'
    findings.warn(name, unknown, 'Add an RPC that returns the logs since the pool’s deployment.')
  } else if (conflict) findings.fail(name, `${found}, but ${conflict}`, remedy)
  else if (field === 'maxCouponBps' ? BigInt(value) <= limit : BigInt(value) >= limit) {
    findings.ok(name, `${found}, ${field} is ${value}`)
  } else {
    const looser = `${found}, but chains[].${field} is ${value}: the pool’s limit applies`
    findings.warn(name, looser, `Set chains[].${field} to ${limit}.`)
  }
}

function checkPauses(findings: Findings, { tellsPause, paused }: PoolPauses): void {
  const advice = 'If the pause is unintended, call unpause() from the pauser role.'
  for (const contract of paused) {
    const name = contract === 'pool' ? 'open' : contract
    findings.fail(name, `the ${contract} is paused: lending and claiming fail`, advice)
  }
  if (!tellsPause) missing(findings, 'open', 'paused')
  else if (!paused.includes('pool')) findings.ok('open', 'the pool is not paused')
}

function checkFloatingIncome(
  findings: Findings,
  { values, nowSeconds }: { readonly values: PoolViews; readonly nowSeconds: bigint },
): void {
  const { isFloatingIncomeSynced, lastFloatingIncomeUpdateDay: lastDay } = values
  const name = 'floating income'
  const advice = 'Report it with updateDailyFloatingIncome, earlier days with updatePreviousFloatingIncome.'
  const days = lastDay ? findMissingIncome({ lastDay: Number(lastDay), nowSeconds }) : undefined
  if (isFloatingIncomeSynced === undefined) missing(findings, name, 'isFloatingIncomeSynced')
  else if (isFloatingIncomeSynced) findings.ok(name, 'it is reported for yesterday (UTC)')
  else if (isIncomeStale(days)) {
    const found = `it is not reported for ${countOf(days.days, 'day')} (UTC), since ${days.since}: a claim pays too little until it is`
    findings.warn(name, found, advice)
  } else findings.warn(name, 'it is not yet reported for yesterday (UTC)', advice)
}

function missing(findings: Findings, name: string, view: string): void {
  findings.warn(name, `the contract has no ${view}()`, checkManually)
}
