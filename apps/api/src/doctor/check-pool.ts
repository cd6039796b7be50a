import type { PoolPauses, PoolValues, PoolViews } from '@tallystick/chain'
import { domainSeparator, isAddressEqual } from 'viem'
import type { PoolCheckContext } from './chain-check-context.ts'
import { checkFreshNote, checkOfferedNotes } from './check-pool-notes.ts'
import type { Findings } from './findings.ts'

const views = [
  'DOMAIN_SEPARATOR',
  'verifierSigner',
  'maxCouponLimit',
  'minMaturityLimit',
  'isFloatingIncomeSynced',
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
  const [values, pauses] = await Promise.all([reader.read(views), reader.readPauses()])
  checkDomain(findings, { values, context })
  checkRegisteredSigner(findings, { values, context })
  checkLimits(findings, { values, context })
  checkPauses(findings, pauses)
  checkFloatingIncome(findings, values)
  await checkFreshNote(findings, context)
  await checkOfferedNotes(findings, context)
}

type ViewCheck = { readonly values: Values; readonly context: PoolCheckContext }

function checkDomain(findings: Findings, { values, context: { chain } }: ViewCheck): void {
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

function checkRegisteredSigner(findings: Findings, { values, context: { signer } }: ViewCheck): void {
  const name = 'registered signer'
  const registered = values.verifierSigner
  if (registered === undefined) missing(findings, name, 'verifierSigner')
  else if (!signer) findings.skip(name, `the pool accepts notes of ${registered}; the configured signer is unavailable`)
  else if (isAddressEqual(registered, signer.address)) findings.ok(name, `the pool accepts notes of ${registered}`)
  else {
    findings.fail(
      name,
      `the pool accepts notes of ${registered}, but the configured signer is ${signer.address}: it refuses every note`,
      'Configure the registered signer, or register the configured one with setVerifierSigner.',
    )
  }
}

function checkLimits(findings: Findings, { values, context: { chain } }: ViewCheck): void {
  const { maxCouponLimit, minMaturityLimit } = values
  if (maxCouponLimit === undefined) missing(findings, 'coupon limit', 'maxCouponLimit')
  else if (BigInt(chain.maxCouponBps) <= maxCouponLimit) {
    findings.ok('coupon limit', `the pool accepts up to ${maxCouponLimit} bps, maxCouponBps is ${chain.maxCouponBps}`)
  } else {
    const found = `the pool accepts up to ${maxCouponLimit} bps, but chains[].maxCouponBps is ${chain.maxCouponBps}`
    findings.fail('coupon limit', found, `Set chains[].maxCouponBps to ${maxCouponLimit} or less.`)
  }
  if (minMaturityLimit === undefined) missing(findings, 'maturity limit', 'minMaturityLimit')
  else if (BigInt(chain.minMaturitySeconds) >= minMaturityLimit) {
    findings.ok(
      'maturity limit',
      `the pool requires ${minMaturityLimit} s to maturity, minMaturitySeconds is ${chain.minMaturitySeconds}`,
    )
  } else {
    const found = `the pool requires ${minMaturityLimit} s to maturity, but chains[].minMaturitySeconds is ${chain.minMaturitySeconds}`
    findings.fail('maturity limit', found, `Set chains[].minMaturitySeconds to ${minMaturityLimit} or more.`)
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

function checkFloatingIncome(findings: Findings, { isFloatingIncomeSynced }: Values): void {
  if (isFloatingIncomeSynced === undefined) missing(findings, 'floating income', 'isFloatingIncomeSynced')
  else if (isFloatingIncomeSynced) findings.ok('floating income', 'it is reported for yesterday (UTC)')
  else {
    const advice = 'Report it with updateDailyFloatingIncome, earlier days with updatePreviousFloatingIncome.'
    findings.warn('floating income', 'it is not yet reported for yesterday (UTC)', advice)
  }
}

function missing(findings: Findings, name: string, view: string): void {
  const advice = 'Is it a pool of this protocol? If so, check the value manually.'
  findings.warn(name, `the contract has no ${view}()`, advice)
}
