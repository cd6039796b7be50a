import { InvalidRequestError, type OfferedNote } from '@tallystick/client'
import type { ActionStep } from '@tallystick/client/viem'
import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { type Address, concat, type Hex, maxUint256, toFunctionSelector, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { lentAt } from './calls.ts'
import { balanceOf, type Chain, chainId, dollars, noPartner, revertBeforeEach, send, startChain } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { type Hook, offerNote, openWallet } from './wallet.ts'

const principal = dollars(1_000)

let chain: Chain
let note: OfferedNote
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
beforeAll(async () => {
  chain = await startChain()
  ;[ann, bob] = chain.wallets as [PrivateKeyAccount, PrivateKeyAccount]
  note = await offerNote(chain, lentAt)
  await moveTo(lentAt)
  await chain.client.setAutomine(true)
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)
beforeEach(async () => {
  await chain.client.setAutomine(true)
})

/** Mines a block at an instant. */
async function moveTo(instant: bigint): Promise<void> {
  await chain.client.setNextBlockTimestamp({ timestamp: instant })
  await chain.client.mine({ blocks: 1 })
}

async function administer(to: Address, functionName: string, args: readonly unknown[] = []) {
  await send(chain, { from: chain.admin.address, to, functionName, args })
}

function readAllowance(owner: Address): Promise<bigint> {
  const args = [owner, chain.pool] as const
  return chain.client.readContract({ address: chain.token, abi: dollarTokenAbi, functionName: 'allowance', args })
}

describe('how the pool may take the principal', () => {
  test('default: with a permit, one transaction lends and its receipt states the position', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const before = await balanceOf(chain, ann.address)
    const { hash, receipt, position } = await wallet.lend({ note, principal, onStep: wallet.onStep })
    expect(wallet.prompts).toEqual(['sign', 'permitLend'])
    expect(wallet.steps).toEqual(['simulate', 'permit', 'simulate', 'send', 'wait', 'done'])
    expect(receipt).toMatchObject({ transactionHash: hash, status: 'success' })
    expect(position).toEqual({
      ...{ chainId, pool: chain.pool, tokenId: 1n, owner: ann.address, principal, coupon: note.coupon },
      ...{ lendTimestamp: lentAt, maturityTimestamp: note.maturityTimestamp },
      ...{ partnerId: noPartner, partnerFeeBPS: 0n },
    })
    expect(before - (await balanceOf(chain, ann.address))).toBe(principal)
  })

  test('behavior: an allowance that is enough needs neither permit nor approval', async () => {
    await send(chain, { from: ann.address, to: chain.token, functionName: 'approve', args: [chain.pool, principal] })
    const wallet = openWallet(chain, { account: ann.address })
    await wallet.lend({ note, principal })
    expect(wallet.prompts).toEqual(['lend'])
  })

  test('behavior: a token without permits gets an approval of exactly the principal', async () => {
    await removePermits()
    const wallet = openWallet(chain, { account: ann.address })
    const { position } = await wallet.lend({ note, principal, onStep: wallet.onStep })
    expect(position.tokenId).toBe(1n)
    expect(wallet.prompts).toEqual([`approve ${principal}`, 'lend'])
    expect(wallet.steps).toEqual(['simulate', 'approve', 'approve', 'simulate', 'send', 'wait', 'done'])
    expect(await readAllowance(ann.address)).toBe(0n)
  })

  test('behavior: a token that changes an allowance only from 0 gets a 0 first', async () => {
    await send(chain, { from: ann.address, to: chain.token, functionName: 'approve', args: [chain.pool, 5n] })
    await removePermits()
    await demandZeroFirst()
    const wallet = openWallet(chain, { account: ann.address })
    await wallet.lend({ note, principal })
    expect(wallet.prompts).toEqual(['approve 0', `approve ${principal}`, 'lend'])
  })

  test.each([
    ['the account is a contract', { eth_getCode: async () => '0x6001' }, []],
    ['the wallet signs with another key', { eth_signTypedData_v4: async () => signedByBob() }, ['sign']],
    ['the wallet cannot sign typed data', { eth_signTypedData_v4: () => Promise.reject({ code: 4200 }) }, ['sign']],
  ])('behavior: an approval replaces the permit if %s', async (_, hooks, before) => {
    const wallet = openWallet(chain, { account: ann.address, hooks })
    await wallet.lend({ note, principal })
    expect(wallet.prompts).toEqual([...before, `approve ${principal}`, 'lend'])
  })

  test('behavior: an account with an EIP-7702 delegation uses a permit', async () => {
    const hooks = { eth_getCode: async () => `0xef0100${'11'.repeat(20)}` }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    await wallet.lend({ note, principal })
    expect(wallet.prompts).toEqual(['sign', 'permitLend'])
  })

  test('behavior: a local account works too, for another beneficiary and with a partner', async () => {
    const vault = chain.admin.address
    await send(chain, { from: bob.address, to: chain.pool, functionName: 'createPartner', args: [vault, 250n] })
    const pool = { address: chain.pool, abi: poolAbi } as const
    const args = [bob.address, 0n] as const
    const partnerId = await chain.client.readContract({ ...pool, functionName: 'getPartnerIdByNonce', args })
    const wallet = openWallet(chain, { account: ann })
    const { position } = await wallet.lend({ note, principal, partnerId, beneficiary: bob.address })
    expect(position).toMatchObject({ owner: bob.address, partnerId, partnerFeeBPS: 250n })
    const failure = await failureOf(wallet.lend({ note, principal, partnerId, partnerFeeBPS: 100n }))
    expect(failure.explanation?.name).toBe('ReserveStabilityPool__PartnerFeeChanged')
  })

  test('behavior: two lends at once are two positions, also from two clients', async () => {
    const wallets = [openWallet(chain, { account: ann.address }), openWallet(chain, { account: ann.address })]
    const lends = wallets.map((wallet, index) => wallet.lend({ note, principal: principal + BigInt(index) }))
    const positions = (await Promise.all(lends)).map(({ position }) => position)
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([1n, 2n])
    expect(positions.map((position) => position.principal)).toEqual([principal, principal + 1n])
  })
})

describe('what stops a lend before the wallet is asked for anything', () => {
  test.each([
    ['a paused pool', 'EnforcedPause', () => administer(chain.pool, 'pause')],
    ['a paused dollar', 'EnforcedPause', () => administer(chain.token, 'pause')],
    ['a paused position token', 'EnforcedPause', () => administer(chain.positions, 'pause')],
    ['the denylist', 'ParabolUSD__Denylisted', () => administer(chain.denylister, 'addToDenylist', [ann.address])],
    [
      'another signer',
      'FeedSignatureVerifier__InvalidSigner',
      () => administer(chain.pool, 'setVerifierSigner', [bob.address]),
    ],
  ])('error: %s', async (_, name, prepare) => {
    await prepare()
    const wallet = openWallet(chain, { account: ann.address })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'call_reverted', explanation: { name } })
    expect(failure.message).toBe(failure.explanation?.message)
    expect(wallet.prompts).toEqual([])
  })

  test.each([
    ['less than the minimum', 1n, 'ReserveStabilityPool__InsufficientPrincipal'],
    ['more than the balance', dollars(100_000_001), 'ParabolUSD__InsufficientBalance'],
    ['the largest uint256', maxUint256, 'ParabolUSD__InsufficientBalance'],
  ])('error: %s', async (_, amount, name) => {
    const wallet = openWallet(chain, { account: ann.address })
    const failure = await failureOf(wallet.lend({ note, principal: amount }))
    expect(failure).toMatchObject({ code: 'call_reverted', explanation: { name } })
    expect(wallet.prompts).toEqual([])
  })

  test.each([0n, -1n, maxUint256 + 1n])('error: the amount %s', async (amount) => {
    const wallet = openWallet(chain, { account: ann.address })
    await expect(wallet.lend({ note, principal: amount })).rejects.toThrow(InvalidRequestError)
    expect(wallet.prompts).toEqual([])
  })

  test('error: another chain, no account, no pool, a timeout that no timer can have', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const other = await failureOf(wallet.lend({ note: { ...note, chainId: 8453 }, principal, pool: chain.pool }))
    expect(other).toMatchObject({ code: 'wrong_chain', details: { chainId: 8453, walletChainId: 324 } })
    await expect(wallet.lend({ note: { ...note, chainId: 8453 }, principal })).rejects.toThrow('no pool for chain 8453')
    // A timer of 30 days would fire at once, after the transaction was sent.
    await expect(wallet.lend({ note, principal, timeoutSeconds: 30 * 86_400 })).rejects.toThrow(
      'timeoutSeconds is 2592000. Use a number above 0',
    )
    const none = openWallet(chain, { account: undefined as never })
    await expect(none.lend({ note, principal })).rejects.toThrow('has no account')
    expect(wallet.prompts).toEqual([])
  })

  test.each([
    ['the domain of permits', 'DOMAIN_SEPARATOR()'],
    ['the probe of a permit', 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'],
    ['the pause of a token', 'paused()'],
    [
      'the simulation',
      'lend((address,bytes32,uint256,uint256),(uint128,uint256,uint128,uint128),(uint8,bytes32,bytes32))',
    ],
    ['the approval', 'approve(address,uint256)', async () => removePermits()],
  ])('error: a node that fails at %s', async (_, signature, prepare = async () => undefined) => {
    await send(chain, { from: ann.address, to: chain.token, functionName: 'approve', args: [chain.pool, 5n] })
    await prepare()
    const eth_call: Hook = async (next, { params }) => {
      const [{ data }] = params as [{ data: Hex }]
      if (data.startsWith(toFunctionSelector(signature))) throw { code: -32005, message: 'Too many requests' }
      return next()
    }
    const wallet = openWallet(chain, { account: ann.address, hooks: { eth_call } })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'chain_failed', retryable: true })
    expect(wallet.prompts).toEqual([])
  })

  test('error: an aborted signal throws its reason', async () => {
    const reason = new Error('closed')
    const wallet = openWallet(chain, { account: ann.address })
    const controller = new AbortController()
    const onStep = ({ kind }: ActionStep) => kind === 'permit' && controller.abort(reason)
    await expect(wallet.lend({ note, principal, signal: controller.signal, onStep })).rejects.toBe(reason)
    expect(wallet.prompts).toEqual(['sign'])
    await expect(wallet.lend({ note, principal, signal: controller.signal })).rejects.toBe(reason)
  })
})

describe('a note that expires', () => {
  test('behavior: the last second of the note is usable, the next one is not', async () => {
    // The action adds the time that has passed since it read the chain's.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await moveTo(note.validBefore - 1n)
    const wallet = openWallet(chain, { account: ann.address })
    expect((await wallet.lend({ note, principal })).position.lendTimestamp).toBe(note.validBefore - 1n)
    await moveTo(note.validBefore)
    wallet.prompts.length = 0
    expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({ code: 'note_expired', retryable: false })
    expect(wallet.prompts).toEqual([])
  })

  test('error: it expires while the wallet shows the permit', async () => {
    const hooks = {
      eth_signTypedData_v4: async (next: () => Promise<unknown>) => {
        const signature = await next()
        await moveTo(note.validBefore)
        return signature
      },
    }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({ code: 'note_expired', hash: undefined })
    expect(wallet.prompts).toEqual(['sign'])
  })

  test('error: the chain has no new block, but the service’s time is later', async () => {
    let now = lentAt
    const wallet = openWallet(chain, { account: ann.address, now: () => now })
    const onStep = ({ kind }: ActionStep) => {
      if (kind === 'permit') now = note.validBefore
    }
    expect(await failureOf(wallet.lend({ note, principal, onStep }))).toMatchObject({ code: 'note_expired' })
    expect(wallet.prompts).toEqual(['sign'])
  })

  test('error: it expires while the wallet shows the transaction, which reverts', async () => {
    const hooks = {
      eth_sendTransaction: async (next: () => Promise<unknown>) => {
        await chain.client.setNextBlockTimestamp({ timestamp: note.validBefore })
        return next()
      },
    }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'note_expired', hash: expect.stringMatching(/^0x/) })
  })

  test('behavior: a note of a period that begins with the next block is usable', async () => {
    const next = await offerNote(chain, lentAt + 3_600n)
    const wallet = openWallet(chain, { account: ann.address })
    expect(await failureOf(wallet.lend({ note: next, principal }))).toMatchObject({
      code: 'note_not_yet_valid',
      retryable: true,
    })
    await chain.client.setNextBlockTimestamp({ timestamp: lentAt + 3_600n })
    expect((await wallet.lend({ note: next, principal })).position.lendTimestamp).toBe(lentAt + 3_600n)
  })
})

describe('after the transaction was sent', () => {
  const highFees = { maxFeePerGas: toHex(10n ** 11n), maxPriorityFeePerGas: toHex(10n ** 10n) }

  test.each([
    ['the permit', 'eth_signTypedData_v4', ['sign']],
    ['the transaction', 'eth_sendTransaction', ['sign', 'permitLend']],
  ])('error: the user declines %s', async (_, method, prompts) => {
    const hooks = { [method]: () => Promise.reject({ code: 4001, message: 'User rejected the request.' }) }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({ code: 'wallet_rejected' })
    expect(wallet.prompts).toEqual(prompts)
  })

  test('error: it is not mined in time', async () => {
    await chain.client.setAutomine(false)
    const wallet = openWallet(chain, { account: ann.address })
    const failure = await failureOf(wallet.lend({ note, principal: principal + 1n, timeoutSeconds: 0.1 }))
    expect(failure).toMatchObject({ code: 'transaction_pending', hash: expect.stringMatching(/^0x/) })
  })

  test.each([
    ['repriced', (sent: object) => sent],
    ['cancelled', () => ({ to: ann.address, value: '0x0' })],
  ])('behavior: the user has it %s', async (reason, replace) => {
    await chain.client.setAutomine(false)
    let sent: Record<string, unknown> | undefined
    let nonce: Hex | undefined
    const replaceAndMine = async () => {
      const { data, to } = sent as Record<string, unknown>
      const replacement = { from: ann.address, gas: '0xf4240', nonce, ...highFees, ...replace({ data, to }) }
      nonce = undefined
      await chain.client.request({ method: 'eth_sendTransaction', params: [replacement] } as never)
      await chain.client.mine({ blocks: 1 })
    }
    const hooks: Record<string, Hook> = {
      eth_sendTransaction: (next, { params }) => {
        sent = params?.[0] as typeof sent
        return next()
      },
      eth_getTransactionByHash: async (next) => {
        const transaction = (await next()) as { nonce: Hex } | null
        if (sent && transaction) nonce = transaction.nonce
        return transaction
      },
      // Once viem knows the nonce and has searched the newest block. It ignores a block that is mined during its search.
      eth_getBlockByNumber: async (next, { params }) => {
        const block = await next()
        if (nonce && params?.[1] === true) setImmediate(replaceAndMine)
        return block
      },
    }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const lend = wallet.lend({ note, principal, timeoutSeconds: 30 })
    if (reason === 'repriced') expect((await lend).position.tokenId).toBe(1n)
    else expect(await failureOf(lend)).toMatchObject({ code: 'transaction_replaced' })
  })

  test('error: it is replaced in a block that viem does not search', async () => {
    await chain.client.setAutomine(false)
    let isReplaced = false
    const hooks: Record<string, Hook> = {
      // The first read is the action's own.
      eth_getTransactionByHash: async (next) => {
        const transaction = (await next()) as { nonce: Hex } | null
        if (isReplaced) return transaction
        isReplaced = true
        const replacement = { from: ann.address, to: ann.address, nonce: transaction?.nonce, ...highFees }
        await chain.client.request({ method: 'eth_sendTransaction', params: [replacement] } as never)
        await chain.client.mine({ blocks: 1 })
        return transaction
      },
      // As for a block that is mined during viem's search.
      eth_getBlockByNumber: async (next, { params }) => {
        const block = (await next()) as object
        return params?.[1] === true ? { ...block, transactions: [] } : block
      },
    }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal, timeoutSeconds: 0.5 }))
    expect(failure).toMatchObject({
      ...{ code: 'transaction_replaced', retryable: false },
      message: expect.stringContaining('Another transaction was mined instead of 0x'),
    })
  })

  test('error: a reorg drops it', async () => {
    let before: Hex | undefined
    let receipts = 0
    const hooks = {
      eth_getTransactionReceipt: async (next: () => Promise<unknown>) => {
        const receipt = await next()
        if (receipt === null || receipts++ > 0) return receipt
        await chain.client.revert({ id: before as Hex })
        return receipt
      },
      eth_sendTransaction: async (next: () => Promise<unknown>) => {
        before = await chain.client.snapshot()
        return next()
      },
    }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal, confirmations: 2, timeoutSeconds: 0.3 }))
    expect(failure).toMatchObject({ code: 'transaction_dropped', retryable: false })
    expect(await readAllowance(ann.address)).toBe(0n)
  })

  test('behavior: a reorg moves it to another block, where it is confirmed', async () => {
    let before: Hex | undefined
    let raw: Hex | undefined
    let first: string | undefined
    const hooks = {
      eth_getTransactionReceipt: async (next: () => Promise<unknown>) => {
        const receipt = (await next()) as { blockHash: string } | null
        if (receipt === null || first !== undefined) return receipt
        first = receipt.blockHash
        await chain.client.revert({ id: before as Hex })
        await chain.client.mine({ blocks: 1 })
        await chain.client.sendRawTransaction({ serializedTransaction: raw as Hex })
        await chain.client.mine({ blocks: 1 })
        return receipt
      },
      eth_sendRawTransaction: async (
        next: () => Promise<unknown>,
        { params }: { params?: readonly unknown[] | undefined },
      ) => {
        raw = params?.[0] as Hex
        before = await chain.client.snapshot()
        return next()
      },
    }
    const wallet = openWallet(chain, { account: ann, hooks })
    const { receipt, position } = await wallet.lend({ note, principal, confirmations: 2, timeoutSeconds: 10 })
    expect(receipt.blockHash).not.toBe(first)
    expect(position.tokenId).toBe(1n)
  })

  test('error: a node that fails is named, without the URL', async () => {
    const hooks = { eth_call: () => Promise.reject(new Error('connect ECONNREFUSED')) }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'chain_failed', retryable: true })
    expect(failure.message).toContain('ECONNREFUSED')
  })
})

function signedByBob(): Promise<Hex> {
  const types = { Permit: [{ name: 'owner', type: 'address' }] }
  return bob.signTypedData({ domain: {}, types, primaryType: 'Permit', message: { owner: bob.address } })
}

/** Removes `permit` from the dollar's code: its selector becomes the one before, which nobody calls. */
async function removePermits(): Promise<void> {
  const code = (await chain.client.getCode({ address: chain.token })) as Hex
  const selector = toFunctionSelector('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)').slice(2)
  expect(code).toContain(`63${selector}`)
  await chain.client.setCode({ address: chain.token, bytecode: code.replaceAll(`63${selector}`, '63d505acce') as Hex })
}

/** Puts a guard before the dollar, like that of USDT: `approve` reverts if neither allowance nor amount is 0. */
async function demandZeroFirst(): Promise<void> {
  const code = (await chain.client.getCode({ address: chain.token })) as Hex
  const moved: Address = `0x${'c0de'.repeat(10)}`
  await chain.client.setCode({ address: moved, bytecode: code })
  const guard = concat([
    '0x5f3560e01c63095ea7b314603c57', // if the selector is that of approve: goto 0x3c
    '0x5b365f5f375f5f365f73', // 0x0e: delegatecall(gas, moved, calldata)
    moved,
    '0x5af43d5f5f3e6038573d5ffd5b3d5ff3', // return or revert with its data
    '0x5b60243515600e57', // 0x3c: if the amount is 0: goto 0x0e
    '0x63dd62ed3e60e01b5f523360045260043560245260205f60445f305afa50', // memory[0] = this.allowance(caller, spender)
    '0x5f5115600e575f5ffd', // if it is 0: goto 0x0e, else revert
  ])
  await chain.client.setCode({ address: chain.token, bytecode: guard })
}
