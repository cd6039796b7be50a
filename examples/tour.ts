/**
 * A loan from start to finish, as an integrator would write it: fetch the notes, verify one, find it in the public log, lend, find the position, let
 * it mature, claim it and read the earnings. Needs a sandbox: `npm start` in one terminal, `npm run tour` in another.
 */
import {
  claimability,
  claimCalldata,
  createClient,
  expectedIncome,
  explainRevert,
  floatingAccumulator,
  lendCalldata,
  poolEventAbi,
  simulateCall,
  verifyLogged,
  verifyNote,
} from '@tallystick/client'
import { erc20Abi, erc721Abi, formatUnits, type Hex, parseEventLogs, parseUnits } from 'viem'
import { openChain, readCredentials, trustSandbox } from './sandbox.ts'

const directory = process.argv[process.argv.indexOf('--dir') + 1 || process.argv.length] ?? '.tallystick'
const credentials = await readCredentials(directory)
const [sandbox] = credentials.chains
const [lender] = credentials.wallets
if (!sandbox || !lender) throw new Error('The sandbox has no chain or no wallet.')
const { reader, wallet } = openChain(sandbox, lender)
const { baseUrl, apiKey } = credentials
const fetch = trustSandbox(credentials)
const client = createClient({ baseUrl, apiKey, fetch })

const principal = parseUnits('25000', 18)

// 0. Fetch the contracts of the service's chain. Compare pool and signer with a source that you trust.
title('The chain')
const chain = (await client.chains()).find(({ chainId }) => chainId === sandbox.id)
if (!chain?.positionToken || !chain.dollar) throw new Error('The service does not know the contracts of its chain.')
const { chainId, pool, signer } = chain
const [positions, token] = [chain.positionToken.address, chain.dollar.address]
if (pool !== sandbox.pool || signer !== sandbox.signer) throw new Error('The service names another pool or signer.')
say(`${chain.name}: pool ${pool}, loans from ${dollars(chain.limits.minLend ?? 0n)}.`)

// 1. Fetch the notes. The pool accepts them until the end of the current period.
title('The notes on offer')
const offer = await client.notes({ chainId })
for (const note of offer.notes) {
  say(`${String(note.tenorDays).padStart(4)} days   ${percent(note.coupon)}   until ${time(note.maturityTimestamp)}`)
}
const [note] = offer.notes
if (!note) throw new Error('No note is on offer.')
say(`They are valid until ${time(note.validBefore)}.`)

// 2. Verify the signature locally, with the signer that the pool has registered.
title('Verifying the first note')
const verification = await verifyNote(note, { pool, signer })
if (!verification.valid) throw new Error(verification.reason)
say(`Valid: signed by ${verification.signer} for the pool ${pool} on chain ${chainId}.`)

// 3. Verify that the public log has the notes, so that everyone sees the same ones. Get its key from a source that you trust.
title('The notes in the public log')
const key = await (await fetch(`${baseUrl}/log/key`, {})).text()
for (const logged of await verifyLogged(offer.notes, { log: `${baseUrl}/log`, key, fetch })) {
  say(`Entry ${logged.index} of ${logged.size} in ${logged.origin}, signed ${time(logged.issuedAt)}.`)
}

// 4. Compute the expected income.
title(`Lending ${dollars(principal)}`)
const { floatingRate } = await client.rate()
const expected = expectedIncome(note, { principal, lendTimestamp: offer.serverTime, floatingRate })
say(
  `Fixed income ${dollars(expected.fixed)}. Floating income ${dollars(expected.floating)} if the rate stays at ${percent(floatingRate ?? 0n)}.`,
)

// 5. Approve the dollars, simulate the loan and lend: two transactions. With permitLendCalldata it is one transaction and a signature.
await send(`approve ${dollars(principal)}`, () =>
  wallet.writeContract({ address: token, abi: erc20Abi, functionName: 'approve', args: [pool, principal] }),
)
const call = lendCalldata({ pool, note, beneficiary: lender.address, principal })
const simulation = await simulateCall(reader, { from: lender.address, call })
if (!simulation.ok) throw new Error(`lend: ${simulation.explanation?.message ?? String(simulation.error)}`)
const lent = await send('lend', () => wallet.sendTransaction(call))
const [lend] = parseEventLogs({ abi: poolEventAbi, eventName: 'Lend', logs: lent.logs })
if (!lend) throw new Error('The pool did not log the loan.')
const { tokenId } = lend.args
say(`The wallet holds position ${tokenId}.`)

// 6. Find the position through the API. /data reads the index of the chain, which is a moment behind.
title('The position in /data')
const position = await until('the position is indexed', async () => {
  const [chain] = await client.positions(lender.address, { chains: [chainId] })
  return chain?.positions?.find((candidate) => candidate.tokenId === tokenId)
})
say(
  `${dollars(position.principal)} at ${percent(position.coupon)}, lent ${time(position.lendTimestamp)}, matures ${time(position.maturityTimestamp)}: ${position.status}.`,
)

// 7. Advance the clock of the development chain over the UTC day of the maturity. The sandbox follows it. A claim before the
// floating income of that day is reported would lose it for good. The sandbox reports it 5 minutes after the day.
title('A week later')
const { timestamp } = await reader.getBlock()
await reader.request({
  method: 'evm_increaseTime',
  params: [Number(expected.holdsFrom - timestamp) + 360],
} as never)
const { rate, reported } = await until('the service follows and the floating incomes are reported', async () => {
  const [current, [incomes]] = await Promise.all([client.rate(), client.floatingIncomes({ chains: [chainId] })])
  const reported = { ...floatingAccumulator(incomes?.days ?? []), now: (await reader.getBlock()).timestamp }
  const isThere = current.isProtocolSynced && claimability(position, reported).status === 'complete'
  return isThere ? { rate: current, reported } : undefined
})
say(`${rate.chains[0]?.syncReason ?? ''} Floating rate now ${percent(rate.floatingRate ?? 0n)}.`)

// 8. Compute the income with the arithmetic of the contract.
const { fixed, floating, total: predicted } = claimability(position, reported).paidNow
say(`Computed: ${dollars(fixed)} fixed and ${dollars(floating)} floating, ${dollars(predicted)} in total.`)

// 9. Claim: the pool takes the position back and pays principal and income.
title('Claiming the position')
await send('approve the position', () =>
  wallet.writeContract({ address: positions, abi: erc721Abi, functionName: 'approve', args: [pool, tokenId] }),
)
const claimed = await send('claim', () =>
  wallet.sendTransaction(claimCalldata({ ...position, pool, beneficiary: lender.address, reported })),
)
const [claim] = parseEventLogs({ abi: poolEventAbi, eventName: 'Claim', logs: claimed.logs })
if (!claim) throw new Error('The pool did not log the claim.')
say(`Paid: ${dollars(claim.args.totalIncome)} income on ${dollars(claim.args.principal)}.`)

// 10. Read the earnings of the wallet over all its positions.
title('Earnings of the wallet')
const earnings = await until('the claim is indexed', async () => {
  const [chain] = await client.earnings(lender.address, { chains: [chainId] })
  const [held] = await client.positions(lender.address, { chains: [chainId] })
  const isClaimed = held?.positions?.some((held) => held.tokenId === tokenId && held.status === 'Claimed')
  return isClaimed ? chain?.earnings : undefined
})
say(
  `Claimed ${dollars(earnings.claimed.net)} after fees. ${earnings.activePositions} active positions have accrued ${dollars(earnings.accrued.net)}.`,
)

title('Predicted and paid')
say(`predicted ${predicted}`)
say(`paid      ${claim.args.totalIncome}`)
if (predicted !== claim.args.totalIncome) throw new Error('They differ. This is a bug: please report it.')
say('Equal to all 18 decimals.')

/** Sends a transaction and waits for its receipt. Explains a revert of the pool. */
async function send(name: string, transact: () => Promise<Hex>) {
  try {
    const receipt = await reader.waitForTransactionReceipt({ hash: await transact() })
    if (receipt.status !== 'success') throw new Error('the transaction reverted')
    say(`${name}: block ${receipt.blockNumber}`)
    return receipt
  } catch (error) {
    throw new Error(`${name}: ${explainRevert(error)?.message ?? (error as Error).message}`)
  }
}

async function until<Value>(condition: string, read: () => Promise<Value | undefined | null>): Promise<Value> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const found = await read()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error(`Timed out after 60 s: waited until ${condition}.`)
}

function title(text: string): void {
  process.stdout.write(`\n${text}\n`)
}

function say(text: string): void {
  process.stdout.write(`  ${text}\n`)
}

function dollars(amount: bigint): string {
  const [whole = '', cents = ''] = formatUnits(amount, 18).split('.')
  return `$${BigInt(whole).toLocaleString('en-US')}.${cents.padEnd(2, '0').slice(0, 2)}`
}

function percent(bps: bigint): string {
  return `${(Number(bps) / 100).toFixed(2)} %`
}

function time(seconds: bigint): string {
  const text = new Date(Number(seconds) * 1000).toLocaleString('en-US', {
    timeZone: 'America/New_York',
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return `${text} New York`
}
