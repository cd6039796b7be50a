import { denylisterAbi, dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import type { Address, Hex } from 'viem'
import { expect } from 'vitest'
import type { Chain } from '../chain.ts'
import type { Everything } from './queries.ts'

const sum = (amounts: readonly (string | null)[]) => amounts.reduce((total, amount) => total + BigInt(amount ?? 0), 0n)

/** Compares every entity with what the contracts themselves say at the head of the chain. */
export async function expectContractState(chain: Chain, entities: Everything): Promise<void> {
  await Promise.all([
    ...entities.positionInfos
      .filter(({ status }) => status === 'Active')
      .map((position) => expectPosition(chain, position)),
    ...entities.accounts.map((account) => expectAccount(chain, account)),
    ...entities.partners.map((partner) => expectPartner(chain, partner)),
    ...entities.floatingIncomes.map((income) => expectFloatingIncome(chain, income)),
    ...entities.pools.map((pool) => expectPool(chain, pool)),
    expectDays(entities),
  ])
  expect(entities.pools).toHaveLength(1)
}

async function expectPosition({ client, positions }: Chain, position: Everything['positionInfos'][number]) {
  const token = { address: positions, abi: positionTokenAbi, args: [BigInt(position.tokenId)] } as const
  const owner = await client.readContract({ ...token, functionName: 'ownerOf' })
  expect(position.currentOwner).toBe(owner.toLowerCase())
  expect(position.account.id).toBe(position.currentOwner)
  expect(await client.readContract({ ...token, functionName: 'getLendInfo' })).toEqual({
    lendTimestamp: BigInt(position.lendTimestamp),
    maturityTimestamp: BigInt(position.maturityTimestamp),
    coupon: BigInt(position.coupon),
    principal: BigInt(position.principal),
    partnerFeeBPS: BigInt(position.partnerFeeBPS),
    partnerId: position.partnerId,
  })
}

async function expectAccount({ client, positions, denylister }: Chain, account: Everything['accounts'][number]) {
  const call = { address: positions, abi: positionTokenAbi, functionName: 'balanceOf' } as const
  const balance = await client.readContract({ ...call, args: [account.id as Address] })
  expect(BigInt(account.activePositions)).toBe(balance)
  const listing = { address: denylister, abi: denylisterAbi, functionName: 'isDenylisted' } as const
  expect(account.denylisted).toBe(await client.readContract({ ...listing, args: [account.id as Address] }))
}

async function expectPartner({ client, pool }: Chain, partner: Everything['partners'][number]) {
  const call = { address: pool, abi: poolAbi, functionName: 'getPartnerInfoById' } as const
  const { owner, vault, feeBPS } = await client.readContract({ ...call, args: [partner.id as Hex] })
  const stored = { owner: owner.toLowerCase(), vault: vault.toLowerCase(), feeBPS: String(feeBPS) }
  expect(partner).toMatchObject(stored)
}

async function expectFloatingIncome({ client, pool }: Chain, income: Everything['floatingIncomes'][number]) {
  const call = { address: pool, abi: poolAbi, functionName: 'accFloatingIncome' } as const
  const [sumOfDay, sumBefore] = await Promise.all(
    [income.day, income.day - 1].map((day) => client.readContract({ ...call, args: [BigInt(day)] })),
  )
  expect(BigInt(income.accFloatingIncome)).toBe(sumOfDay)
  expect(BigInt(income.floatingIncome)).toBe(sumOfDay! - sumBefore!)
}

async function expectPool({ client, pool: address, positions, token }: Chain, pool: Everything['pools'][number]) {
  const read = { address, abi: poolAbi } as const
  const tokenPause = { address: positions, abi: positionTokenAbi, functionName: 'paused' } as const
  expect(pool.positionTokenPaused).toBe(await client.readContract(tokenPause))
  // The pool has no getters for these.
  const lastLimit = async (eventName: 'MaxCouponLimitUpdated' | 'MinMaturityLimitUpdated') => {
    const events = await client.getContractEvents({ ...read, eventName, fromBlock: 0n })
    return String(Object.values(events.at(-1)?.args ?? {})[0])
  }
  expect(pool.id).toBe(address.toLowerCase())
  expect(pool).toMatchObject({
    paused: await client.readContract({ ...read, functionName: 'paused' }),
    minLendLimit: String(await client.readContract({ ...read, functionName: 'minLendLimit' })),
    maxCouponLimit: await lastLimit('MaxCouponLimitUpdated'),
    minMaturityLimit: await lastLimit('MinMaturityLimitUpdated'),
  })
  const lastDay = await client.readContract({ ...read, functionName: 'lastFloatingIncomeUpdateDay' })
  expect(pool.lastFloatingIncomeDay ?? 0).toBe(Number(lastDay))
  // The pool holds what is lent and not yet paid back, and nothing else.
  const dollars = { address: token, abi: dollarTokenAbi, functionName: 'balanceOf', args: [address] } as const
  expect(BigInt(pool.activePrincipal)).toBe(await client.readContract(dollars))
}

async function expectDays({ protocolDays, pools, positionInfos }: Everything) {
  const [pool] = pools
  expect(sum(protocolDays.map(({ lent }) => lent))).toBe(BigInt(pool!.totalPrincipal))
  expect(sum(protocolDays.map(({ income }) => income))).toBe(BigInt(pool!.totalIncome))
  expect(sum(positionInfos.map(({ fee }) => fee))).toBe(BigInt(pool!.totalFees))
  if (protocolDays.length > 0) expect(protocolDays.at(-1)?.activePrincipal).toBe(pool!.activePrincipal)
}
