import * as bytecode from './generated/bytecode.ts'
import * as denylister from './generated/denylister.ts'
import * as dollarToken from './generated/dollar-token.ts'
import * as errors from './generated/errors.ts'
import * as poolEvents from './generated/pool-events.ts'
import * as poolFunctions from './generated/pool-functions.ts'
import * as positionToken from './generated/position-token.ts'

/** Every error of the contracts. A call can revert with an error of any contract, so all ABIs have all of them. */
export const errorAbi = Object.values(errors)

export const poolAbi = [
  bytecode.poolConstructor,
  ...Object.values(poolFunctions),
  ...Object.values(poolEvents),
  ...errorAbi,
] as const

export const positionTokenAbi = [
  bytecode.positionTokenConstructor,
  ...positionToken.functions,
  ...positionToken.events,
  ...errorAbi,
] as const

export const dollarTokenAbi = [
  bytecode.dollarTokenConstructor,
  ...dollarToken.functions,
  ...dollarToken.events,
  ...errorAbi,
] as const

export const denylisterAbi = [
  bytecode.denylisterConstructor,
  ...denylister.functions,
  ...denylister.events,
  ...errorAbi,
] as const
