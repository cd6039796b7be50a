import type { OfferedNote } from '@tallystick/client'
import { type ActionStep, type TallystickActionsOptions, tallystickActions } from '@tallystick/client/viem'
import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { type Account, type Address, createWalletClient, custom, decodeFunctionData, type Hex } from 'viem'
import { noteAt } from './calls.ts'
import { type Chain, chainId, signNote } from './chain.ts'

type Request = { readonly method: string; readonly params?: readonly unknown[] | undefined }

/** Replaces the node's response to a method. `next` gets that response. */
export type Hook = (next: () => Promise<unknown>, request: Request) => Promise<unknown>

const abi = [...poolAbi, ...positionTokenAbi, ...dollarTokenAbi] as const

/**
 * A browser wallet on the chain's node, which signs for its accounts, with Tallystick's actions. `prompts` has all that the
 * user was asked for, and `steps` all that the actions reported.
 */
export function openWallet(
  chain: Chain,
  {
    account,
    hooks = {},
    ...options
  }: TallystickActionsOptions & { account: Account | Address; hooks?: Record<string, Hook> },
) {
  const prompts: string[] = []
  const steps: ActionStep['kind'][] = []
  const request = async ({ method, params }: Request): Promise<unknown> => {
    if (method === 'eth_signTypedData_v4') prompts.push('sign')
    if (method === 'eth_sendTransaction') prompts.push(describe((params as [{ data: Hex }])[0].data))
    const next = () => chain.client.request({ method, params } as never) as Promise<unknown>
    return (hooks[method] ?? ((pass) => pass()))(next, { method, params })
  }
  const client = createWalletClient({
    account,
    transport: custom({ request }, { retryCount: 0 }),
    pollingInterval: 10,
  }).extend(tallystickActions({ pools: { [chainId]: chain.pool }, ...options }))
  const onStep = ({ kind }: ActionStep) => void steps.push(kind)
  return { prompts, steps, onStep, ...client }
}

function describe(data: Hex): string {
  const { functionName, args } = decodeFunctionData({ abi, data })
  return functionName === 'approve' ? `approve ${args[1]}` : functionName
}

/** A note as the service offers it, good for a minute around an instant. */
export async function offerNote(chain: Chain, at: bigint): Promise<OfferedNote> {
  const terms = noteAt(at)
  const { r, s, v } = await signNote(chain, terms)
  return { ...terms, startedAt: at, tenorDays: 30, signature: { r, s, v: v as 27 | 28 }, raw: {} as OfferedNote['raw'] }
}
