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
    const name = JSON.stringify(chainid.slice(0, 20))
    if (!response) throw refusal('not_found', `The test wallet has no chain ${name}.`)
    return reply.header('cache-control', 'no-store').send(response)
  }
  return { method: 'POST', url: `${testWalletPath}/:chainid`, handler }
}
