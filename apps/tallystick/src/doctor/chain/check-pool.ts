import type { PoolPauses, PoolState, PoolValues, PoolViews } from '@tallystick/chain'
import { findMissingIncome, isIncomeStale } from '@tallystick/core'
import { adviseOnSigner } from '@tallystick/issuer'
import { domainSeparator, isAddressEqual } from 'viem'
import type { Findings } from '../findings.ts'
import { leastSecondsToMaturity, type PoolCheckContext } from './chain-check-context.ts'
import { checkFreshNote, checkOfferedNotes } from './check-pool-notes.ts'
import { checkWiring } from './check-wiring.ts'

const views = [
  'DOMAIN_SEPARATOR',
  'isFloatingIncomeSynced',
  'lastFloatingIncomeUpdateDay',
] as const satisfies readonly (keyof PoolViews)[]

type Values = PoolValues<(typeof views)[number]>

/** Checks that the contract at the pool's address matches the configuration and accepts our notes. */
export async function checkPool(findings: Findings, context: PoolCheckContext): Promise<void> {
  const { reader, chain } = context
  const pool = chain.domain.verifyingContract
  if (!(await reader.hasCode())) {
    findings.fail(
      'pool',
      `there is no contract at ${pool} on chain ${chain.id}`,
      'Correct chains[].pool, or chains[].rpc.',
    )
    return
  }
  findings.ok('pool', `there is a contract at ${pool}`)
  const [values, state] = await Promise.all([reader.read(views), reader.readState()])
  checkDomain(findings, { values, context })
  checkRegisteredSigner(findings, { state, context })
  checkLimits(findings, { state, context })
  checkPauses(findings, state)
  checkFloatingIncome(findings, { values, nowSeconds: context.nowSeconds })
  await checkFreshNote(findings, context)
  await checkOfferedNotes(findings, context)
  await checkWiring(findings, { state, context })
}

type StateCheck = { readonly state: PoolState; readonly context: PoolCheckContext }

function checkDomain(
  findings: Findings,
  { values, context: { chain } }: { readonly values: Values; readonly context: PoolCheckContext },
): void {
  const expected = domainSeparator({ domain: { ...chain.domain, chainId: chain.id } })
  const actual = values.DOMAIN_SEPARATOR
  const { name, version } = chain.domain
  if (actual === undefined) missing(findings, 'domain separator', 'DOMAIN_SEPARATOR')
  else if (actual === expected) findings.ok('domain separator', `the pool's matches, ${expected.slice(0, 10)}…`)
  else {
    findings.fail(
      'domain separator',
      `the pool's is ${actual.slice(0, 10)}…, the configured one is ${expected.slice(0, 10)}… (name "${name}", version "${version}", chain ${chain.id}): it refuses every note`,
      'Correct chains[].domain, chains[].id or chains[].pool.',
    )
  }
}

function checkRegisteredSigner(findings: Findings, { state, context }: StateCheck): void {
  const { signer, chain, config } = context
  const name = 'registered signer'
  const registered = state.signer
  const found = `the pool accepts notes of ${registered}`
  const { next } = chain.signer
  if (registered === undefined) {
    findings.warn(
      name,
      'validatePriceFeed does not reject a note of another signer',
      'Is it a pool of this protocol? If so, check the value manually.',
    )
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
  const unknown = 'the RPC returns no event of the pool about it, so it is not known'
  const advice = 'Add an RPC that returns the logs since the pool’s deployment.'
  const setCurve = `tallystick curve set … --chain ${chain.id}`
  if (maxCouponLimit === undefined) findings.warn('coupon limit', unknown, advice)
  else {
    const tooHigh = [...notes.map(({ coupon }) => coupon), ...coupons.map(BigInt)].filter((bps) => bps > maxCouponLimit)
    const found = `the pool accepts up to ${maxCouponLimit} bps`
    const lower = `Set lower coupons with \`${setCurve}\`, or raise the limit with setMaxCouponLimit.`
    const named = [...new Set(tooHigh)].join(', ')
    if (tooHigh.length > 0) findings.fail('coupon limit', `${found}, but there are coupons of ${named} bps`, lower)
    else reportLimit(findings, { name: 'coupon limit', found, field: 'maxCouponBps', chain, limit: maxCouponLimit })
  }
  if (minMaturityLimit === undefined) findings.warn('maturity limit', unknown, advice)
  else {
    const least = leastSecondsToMaturity(context)
    const found = `the pool requires ${minMaturityLimit} s to maturity`
    const longer = `Remove ${tenors[0]} from the chain’s tenors, or set a curve without it: \`${setCurve}\`.`
    const conflict = `${found}, but the ${tenors[0]}-day note matures ${least} s after its period`
    const field = 'minMaturitySeconds'
    if (least < minMaturityLimit) findings.fail('maturity limit', conflict, longer)
    else reportLimit(findings, { name: 'maturity limit', found, field, chain, limit: minMaturityLimit })
  }
}

/** Reports a limit that all notes respect. The configured one is stricter, or the pool's applies. */
function reportLimit(
  findings: Findings,
  {
    name,
    found,
    field,
    chain,
    limit,
  }: {
    readonly name: string
    readonly found: string
    readonly field: 'maxCouponBps' | 'minMaturitySeconds'
    readonly chain: PoolCheckContext['chain']
    readonly limit: bigint
  },
): void {
  const configured = BigInt(chain[field])
  const isWithin = field === 'maxCouponBps' ? configured <= limit : configured >= limit
  if (isWithin) findings.ok(name, `${found}, ${field} is ${configured}`)
  else {
    const conflict = `${found}, but chains[].${field} is ${configured}: the pool’s limit applies`
    findings.warn(name, conflict, `Set chains[].${field} to ${limit}.`)
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
  { values, nowSeconds }: { readonly values: Values; readonly nowSeconds: bigint },
): void {
  const { isFloatingIncomeSynced, lastFloatingIncomeUpdateDay: lastDay } = values
  const name = 'floating income'
  const advice = 'Report it with updateDailyFloatingIncome, earlier days with updatePreviousFloatingIncome.'
  const days = lastDay ? findMissingIncome({ lastDay: Number(lastDay), nowSeconds }) : undefined
  if (isFloatingIncomeSynced === undefined) missing(findings, name, 'isFloatingIncomeSynced')
  else if (isFloatingIncomeSynced) findings.ok(name, 'it is reported for yesterday (UTC)')
  else if (isIncomeStale(days)) {
    const found = `it is not reported for ${days.days} days (UTC), since ${days.since}: a claim pays too little until it is`
    findings.warn(name, found, advice)
  } else findings.warn(name, 'it is not yet reported for yesterday (UTC)', advice)
}

function missing(findings: Findings, name: string, view: string): void {
  const advice = 'Is it a pool of this protocol? If so, check the value manually.'
  findings.warn(name, `the contract has no ${view}()`, advice)
}
