import {
  type Address,
  type Client,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  recoverTypedDataAddress,
  type TypedDataDefinition,
} from 'viem'
import { signTypedData } from 'viem/actions'
import type { Permit, PermitToken } from '../chain/permit-typed-data.ts'
import { simulateCall } from '../chain/simulate-call.ts'
import { tokenAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import { hasRevertData, isRevert } from './transaction/is-revert.ts'
import { isRejectedByUser } from './transaction/transaction-error.ts'

/** Values of a signature that no key can have made: the token must reject it. */
export const impossibleSignature = [27, `0x${'00'.repeat(31)}01`, `0x${'00'.repeat(31)}01`] as const

/**
 * Returns the token with the domain of its permits, or undefined if a permit is useless: the account is a contract, whose
 * signature the token cannot check, or the token has no such permit. `probe` calls the token's `permit` with a wrong
 * signature. A token with permits rejects it with an error. One without fails without a reason, or accepts anything.
 */
export async function findPermitToken(
  context: ActionContext,
  { token, probe }: { readonly token: Address; readonly probe: Hex },
): Promise<PermitToken | undefined> {
  const { client, chainId, owner, isContract } = context
  if (isContract) return undefined
  const read = (getter: 'DOMAIN_SEPARATOR' | 'name' | 'version') =>
    readOptional(context, { token, getter }) as Promise<string | undefined>
  const [separator, name, version, isRejected] = await Promise.all([
    read('DOMAIN_SEPARATOR'),
    read('name'),
    read('version'),
    isRejectedWithReason(client, { from: owner, to: token, data: probe }),
  ])
  if (name === undefined || !isRejected) return undefined
  return [version, '1', '2']
    .flatMap((candidate) => (candidate === undefined ? [] : [{ address: token, name, version: candidate }]))
    .find((candidate) => separatorOf(candidate, chainId) === separator)
}

function separatorOf({ name, version, address }: PermitToken, chainId: number): Hex {
  return domainSeparator({ domain: { name, version, chainId, verifyingContract: address } })
}

async function isRejectedWithReason(
  client: Client,
  transaction: { readonly from: Address; readonly to: Address; readonly data: Hex },
): Promise<boolean> {
  try {
    await client.request({ method: 'eth_call', params: [transaction, 'latest'] } as never)
    return false
  } catch (error) {
    if (isRevert(error)) return hasRevertData(error)
    throw error
  }
}

/**
 * Asks the wallet for a permit. Returns undefined if the wallet cannot sign it, or signs with another key, as the wallets of
 * some contract accounts do. Throws if the user declines.
 */
export async function signPermit(
  { client, account, owner, step }: ActionContext,
  typedData: TypedDataDefinition,
  deadline: bigint,
): Promise<Permit | undefined> {
  step('permit')
  try {
    const signature = await signTypedData(client, { account, ...typedData })
    const signer = await recoverTypedDataAddress({ ...typedData, signature })
    return isAddressEqual(signer, owner) ? { signature, deadline } : undefined
  } catch (error) {
    if (isRejectedByUser(error)) throw error
    return undefined
  }
}

/** Reads a getter that a token may lack. Returns undefined if it reverts or returns something else. */
export async function readOptional(
  { client, owner }: ActionContext,
  { token, getter }: { readonly token: Address; readonly getter: (typeof tokenAbi)[number]['name'] },
): Promise<string | boolean | undefined> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: getter })
  const simulation = await simulateCall(client, { from: owner, call: { to: token, data, value: 0n } })
  if (!simulation.ok && !isRevert(simulation.error)) throw simulation.error
  try {
    return simulation.ok
      ? decodeFunctionResult({ abi: tokenAbi, functionName: getter, data: simulation.data })
      : undefined
  } catch {
    return undefined
  }
}
