import { type Call, lendCalldata, type Note } from '@tallystick/client'
import {
  type Address,
  createPublicClient,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseEventLogs,
  toHex,
} from 'viem'
import type { Credentials } from './start-sandbox.ts'

const incomeAbi = parseAbi([
  'function calculateFixedIncome(uint256 tokenId) view returns (uint256)',
  'function calculateFloatingIncome(uint256 tokenId) view returns (uint256)',
  'event Lend(address indexed initiator, address indexed beneficiary, uint256 tokenId, uint128 maturityTimestamp, uint256 coupon, uint256 principal, bytes32 partnerId, uint256 partnerFeeBPS)',
])
const tokenAbi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)'])

type SimulatedCall = { readonly returnData: Hex; readonly status: Hex; readonly logs: never[] }
type Block = { readonly time: bigint; readonly calls: readonly (Partial<Call> & { readonly from?: Address })[] }

/** Lets blocks happen on top of what the chain was just before the first of them, without keeping them. */
async function simulate({ chains: [{ rpcUrl }] }: Credentials, blocks: readonly Block[]) {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const base = await client.getBlock()
  const first = blocks[0]!.time
  // A block a second: so far back the chain's time is before the first simulated one.
  const back = base.timestamp >= first ? base.timestamp - first + 2n : 0n
  const blockStateCalls = blocks.map(({ time, calls }) => ({ blockOverrides: { time: toHex(time) }, calls }))
  const results = (await client.request({
    method: 'eth_simulateV1',
    params: [{ blockStateCalls }, toHex(base.number - back)],
  } as never)) as unknown as readonly { readonly calls: readonly SimulatedCall[] }[]
  for (const { calls } of results) {
    for (const call of calls)
      if (call.status !== '0x1') throw new Error(`a simulated call failed: ${JSON.stringify(call)}`)
  }
  return results
}

/** What the pool reckons a position has earned at an instant. */
export async function readIncome(credentials: Credentials, { tokenId, at }: { tokenId: bigint; at: bigint }) {
  const [{ pool }] = credentials.chains
  const names = ['calculateFixedIncome', 'calculateFloatingIncome'] as const
  const calls = names.map((functionName) => ({
    to: pool,
    data: encodeFunctionData({ abi: incomeAbi, functionName, args: [tokenId] }),
  }))
  const [block] = await simulate(credentials, [{ time: at, calls }])
  const [fixed, floating] = block!.calls.map(({ returnData }, index) =>
    decodeFunctionResult({ abi: incomeAbi, functionName: names[index]!, data: returnData }),
  )
  return { fixed: fixed!, floating: floating! }
}

/** What the pool would have paid by maturity, had a wallet lent at an instant. */
export async function simulateFixedIncome(
  credentials: Credentials,
  { note, principal, at }: { note: Note; principal: bigint; at: bigint },
): Promise<bigint> {
  const [{ pool, token }] = credentials.chains
  const from = credentials.wallets[0]!.address
  const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [pool, principal] })
  const lend = lendCalldata({ pool, note, beneficiary: from, principal })
  const lending = {
    time: at,
    calls: [
      { from, to: token, data: approve },
      { from, to: lend.to, data: lend.data },
    ],
  }
  const [lent] = await simulate(credentials, [lending])
  const [event] = parseEventLogs({ abi: incomeAbi, logs: lent!.calls[1]!.logs })
  const income = encodeFunctionData({
    abi: incomeAbi,
    functionName: 'calculateFixedIncome',
    args: [(event as { args: { tokenId: bigint } }).args.tokenId],
  })
  const maturing = { time: note.maturityTimestamp, calls: [{ to: pool, data: income }] }
  const [, matured] = await simulate(credentials, [lending, maturing])
  return decodeFunctionResult({
    abi: incomeAbi,
    functionName: 'calculateFixedIncome',
    data: matured!.calls[0]!.returnData,
  })
}
