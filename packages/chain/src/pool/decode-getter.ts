import { poolAbi } from '@tallystick/contracts'
import { decodeFunctionResult } from 'viem'
import type { CallOutcome } from './call-contract.ts'

/** Returns undefined for a revert and for a malformed answer: a contract without the getter answers in either way. */
export function decodeGetter(functionName: string, outcome: CallOutcome): unknown {
  if (!('value' in outcome)) return undefined
  try {
    return decodeFunctionResult({ abi: poolAbi, functionName, data: outcome.value } as never)
  } catch {
    return undefined
  }
}
