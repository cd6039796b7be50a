import type { TallystickError } from '@tallystick/core'
import { refusal } from '@tallystick/http'
import type { RouteHandlerMethod } from 'fastify'
import type { Address } from 'viem'
import type { Route } from '../routing/route.ts'

/** Wallet of a sandbox. It signs for its account without asking: the page asks the visitor first. */
export type TestWallet = {
  readonly address: Address
  /** Handles one JSON-RPC call on a chain and returns the response. Returns undefined if there is no such chain. */
  readonly answer: (chainId: string, call: unknown) => Promise<object> | undefined
}

export const testWalletPath = '/sandbox/wallet'

/** Creates the JSON-RPC of the test wallet, one URL per chain. Only a sandbox has it. */
export function createTestWalletRoute({ answer }: TestWallet): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const { chainid } = request.params as { readonly chainid: string }
    const response = await answer(chainid, request.body)
    if (!response) throw noSuchChain(chainid)
    return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(response)
  }
  return { method: 'POST', url: `${testWalletPath}/:chainid`, handler }
}

function noSuchChain(chainid: string): TallystickError {
  const message = `The test wallet has no chain ${JSON.stringify(chainid.slice(0, 20))}.`
  return refusal('not_found', message)
}
