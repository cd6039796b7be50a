import { poolAbi } from '@tallystick/contracts'
import { decodeFunctionResult } from 'viem'
import type { CallOutcome } from './call-contract.ts'

/** Decodes the result of a getter. Returns undefined if the contract does not have it: then it reverts or returns nothing. */
export function decodeGetter(functionName: string, outcome: CallOutcome): unknown {
  if (!('value' in outcome)) return undefined
  try {
    return decodeFunctionResult({ abi: poolAbi, functionName, data: outcome.value } as never)
  } catch {
    return undefined
  }
}
