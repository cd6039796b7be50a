import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { privateKeyToAccount, setSignEntropy } from 'viem/accounts'
import { type Defer, signerKey } from './harness.ts'

export type FakeSigner = {
  /** For the configuration's `signer`. */
  readonly config: { readonly kind: 'web3signer'; readonly url: string; readonly address: string }
  /** How many signatures were asked for. */
  readonly requests: () => number
  /** What to do with the next requests instead of signing well; undefined signs well again. */
  behave(behaviour: Behaviour | undefined): void
}

export type Behaviour = (request: { readonly count: number; readonly sign: () => Promise<string> }) => Promise<string>

/**
 * Web3Signer's JSON-RPC on a real port. Like a key in an HSM it signs with a fresh nonce each time, so two signatures
 * of one note never have the same bytes.
 */
export async function startFakeSigner(defer: Defer): Promise<FakeSigner> {
  const account = privateKeyToAccount(signerKey as `0x${string}`)
  let count = 0
  let behaviour: Behaviour | undefined
  const server = await startLocalServer(async (request, response) => {
    const { params } = JSON.parse(await text(request))
    count++
    const sign = async () => {
      const { EIP712Domain: _, ...types } = params[1].types
      // The setting is global and viem reads it before `signTypedData` returns. No extra entropy is the default again.
      setSignEntropy(true)
      const signature = account.signTypedData({ ...params[1], types })
      setSignEntropy('0x')
      return signature
    }
    const result = await (behaviour ? behaviour({ count, sign }) : sign())
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  defer(server.stop)
  return {
    config: { kind: 'web3signer', url: server.url, address: account.address },
    requests: () => count,
    behave: (next) => {
      behaviour = next
    },
  }
}
