import { type Address, encodePacked, type Hash, type Hex, keccak256 } from 'viem'
import { lendCall, maturesAt, noteAt, transferPosition } from '../calls.ts'
import { type Chain, dollars, startsAt } from '../chain.ts'
import { approveAll, type Call, mineBlock } from './mine-block.ts'

export const day = 86_400n
export const lentAt = startsAt + 3_600n
export const claimedAt = maturesAt + 8n * day
export const firstDay = lentAt / day - 1n
export const incomes = Array.from({ length: 35 }, (_, index) => 40654777192457711n + BigInt(index) ** 9n)
export const stranger: Address = '0x00000000000000000000000000000000000abcde'
/** On the denylist to the end, without ever having held a position. */
export const listed: Address = '0x00000000000000000000000000000000000abcdf'

export type Script = {
  readonly chain: Chain
  readonly ann: Address
  readonly bob: Address
  readonly cat: Address
  /** Makes the partner. */
  readonly owner: Address
  readonly partnerId: Hex
  /** The transactions by what they did: `lend 1`, `claim 4`. */
  readonly sent: Record<string, Hash>
}

/** Lives a history with one of everything: lends, transfers, claims and every change of settings. */
export async function liveScript(chain: Chain): Promise<Script> {
  const [ann, bob, cat, owner] = chain.wallets.map(({ address }) => address) as [Address, Address, Address, Address]
  const partnerId = keccak256(encodePacked(['address', 'uint256'], [owner, 0n]))
  const script = { chain, ann, bob, cat, owner, partnerId, sent: {} }
  await approveAll(chain, startsAt + 600n)
  await lendAll(script)
  await administer(script)
  await claimAll(script)
  return script
}

/** 1: held. 2: lent for another, with a partner. 3: passed on in its own block. 4: passed on later. 5: not moved. 6, 7: for bob. */
async function lendAll({ chain, ann, bob, cat, owner, partnerId, sent }: Script): Promise<void> {
  const lendOf = lenderOf(chain)
  const create = { from: owner, to: chain.pool, functionName: 'createPartner', args: [stranger, 1_000n] }
  const partner = { partnerId, partnerFeeBPS: 1_000n }
  const lends = [
    await lendOf(ann, {}),
    await lendOf(ann, { beneficiary: bob, principal: dollars(2_500), ...partner }),
    await lendOf(ann, { principal: dollars(3_000) }),
  ]
  const passOn = transferPosition(chain, ann, [bob, 3n])
  const hashes = await mineBlock(chain, { at: lentAt, calls: [create, ...lends, passOn] })
  ;[, sent['lend 1'], sent['lend 2'], sent['lend 3']] = hashes as [Hash, Hash, Hash, Hash]
  const more = [
    await lendOf(ann, { principal: dollars(4_000), ...partner }),
    await lendOf(ann, { principal: dollars(5_000) }),
    await lendOf(ann, { beneficiary: bob }),
    await lendOf(ann, { beneficiary: bob }),
  ]
  const last = await mineBlock(chain, { at: lentAt + 1n, calls: more })
  ;[sent['lend 4'], sent['lend 5'], sent['lend 6'], sent['lend 7']] = last as [Hash, Hash, Hash, Hash]
  const moves = [
    transferPosition(chain, ann, [cat, 4n]),
    transferPosition(chain, bob, [bob, 6n]),
    transferPosition(chain, bob, [stranger, 2n]),
  ]
  await mineBlock(chain, { at: lentAt + 5n, calls: moves })
}

async function administer({ chain, ann, bob, owner, partnerId }: Script): Promise<void> {
  const admin = (functionName: string, args: readonly unknown[] = [], to = chain.pool) => ({
    from: chain.admin.address,
    to,
    functionName,
    args,
  })
  const byOwner = (functionName: string, value: unknown) => ({
    ...admin(functionName, [partnerId, value]),
    from: owner,
  })
  await mineBlock(chain, {
    at: lentAt + 10n,
    calls: [
      admin('pause'),
      admin('pause', [], chain.positions),
      admin('addToDenylist', [bob], chain.denylister),
      admin('addToDenylist', [listed], chain.denylister),
      admin('setMinLendLimit', [dollars(5)]),
      admin('setMaxCouponLimit', [900n]),
      admin('setMinMaturityLimit', [day]),
      admin('setVerifierSigner', [bob]),
      byOwner('setPartnerFee', 2_000n),
      byOwner('setPartnerVault', ann),
      byOwner('transferPartnerOwnership', bob),
    ],
  })
  const restored = [
    admin('unpause'),
    admin('unpause', [], chain.positions),
    admin('removeFromDenylist', [bob], chain.denylister),
  ]
  await mineBlock(chain, { at: lentAt + 20n, calls: [...restored, admin('updateDailyFloatingIncome', [7n])] })
  // In parts, each of which fits the gas of one transaction; then a few of them again.
  const parts = [0, 12, 24].map((start) => {
    const given = incomes.slice(start, start + 12).map((income) => income + (start === 24 ? 5n : 0n))
    return admin('updatePreviousFloatingIncome', [firstDay + BigInt(start), BigInt(given.length), given])
  })
  await mineBlock(chain, { at: claimedAt - 60n, calls: parts })
  const restated = incomes.slice(24)
  const args = [firstDay + 24n, BigInt(restated.length), restated]
  await mineBlock(chain, { at: claimedAt - 50n, calls: [admin('updatePreviousFloatingIncome', args)] })
}

async function claimAll({ chain, ann, bob, cat, sent }: Script): Promise<void> {
  const claim = (from: Address, [beneficiary, tokenId]: readonly [Address, bigint]): Call => ({
    from,
    to: chain.pool,
    functionName: 'claim',
    args: [beneficiary, tokenId],
  })
  const batch = {
    from: bob,
    to: chain.pool,
    functionName: 'batchClaim',
    args: [
      [bob, ann],
      [6n, 7n],
    ],
  }
  const calls = [claim(cat, [stranger, 4n]), claim(ann, [ann, 5n]), batch]
  const hashes = await mineBlock(chain, { at: claimedAt, calls })
  ;[sent['claim 4'], sent['claim 5'], sent['claim 6']] = hashes as [Hash, Hash, Hash]
}

function lenderOf(chain: Chain) {
  return async (lender: Address, params: NonNullable<Parameters<typeof lendCall>[1]['params']>): Promise<Call> => {
    const { at: _, ...call } = await lendCall(chain, { lender, at: lentAt, note: noteAt(lentAt), params })
    return call
  }
}
