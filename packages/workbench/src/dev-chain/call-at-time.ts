import type { Engine } from './create-engine.ts'
import { invalidParams } from './rpc-failure.ts'

export type TimedCall = {
  readonly call: { readonly to?: string | undefined }
  readonly block: unknown
  readonly stateOverride: Readonly<Record<string, object>>
  /** Unix seconds the contract sees. */
  readonly time: number
}

/**
 * Runs `eth_call` with a given block time, which EDR does not support. Returns the response as text.
 *
 * For a later time at the head, it mines a block at that time and reverts it afterwards. In other cases it replaces the code
 * of the called contract. Then only this contract sees the time, not those it calls.
 */
export async function callAtTime(engine: Engine, timedCall: TimedCall): Promise<string> {
  const { block, time } = timedCall
  if (block !== 'latest' && block !== 'pending') return callReplaced(engine, timedCall)
  const head = (await engine.request('eth_getBlockByNumber', ['latest', false])) as { readonly timestamp: string }
  return time < Number(head.timestamp) ? callReplaced(engine, timedCall) : callOnNextBlock(engine, timedCall)
}

async function callOnNextBlock(engine: Engine, { call, stateOverride, time }: TimedCall): Promise<string> {
  const snapshot = await engine.request('evm_snapshot', [])
  try {
    // The call must not see the effects of pending transactions. Reverting the snapshot restores them.
    const waiting = (await engine.request('eth_pendingTransactions', [])) as readonly { readonly hash: string }[]
    for (const { hash } of waiting) await engine.request('hardhat_dropTransaction', [hash])
    await engine.request('evm_mine', [time])
    return await engine.send('eth_call', [call, 'latest', stateOverride])
  } finally {
    await engine.request('evm_revert', [snapshot])
  }
}

async function callReplaced(engine: Engine, { call, block, stateOverride, time }: TimedCall): Promise<string> {
  const { to } = call
  if (to === undefined) throw invalidParams('A call with an earlier time needs `to`.')
  const code = (await engine.request('eth_getCode', [to, block])) as string
  const replaced = { code: replaceTimestamp(code), balance: `0x${time.toString(16)}` }
  return engine.send('eth_call', [call, block, { ...stateOverride, [to]: { ...stateOverride[to], ...replaced } }])
}

const timestampOpcode = 0x42
const selfBalanceOpcode = 0x47
const push1Opcode = 0x60
const push32Opcode = 0x7f

/**
 * Replaces each TIMESTAMP instruction of a contract's code with SELFBALANCE. A balance override then
 * sets the time that the contract reads. Data of PUSH instructions is unchanged. Both opcodes are 1 byte, so jumps stay valid.
 */
export function replaceTimestamp(code: string): string {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] as number
    if (opcode === timestampOpcode) bytes[at] = selfBalanceOpcode
    if (opcode >= push1Opcode && opcode <= push32Opcode) at += opcode - push1Opcode + 1
  }
  return `0x${bytes.toString('hex')}`
}
