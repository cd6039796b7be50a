import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FetchFunction } from '@tallystick/client'
import { Agent, fetch as fetchWith } from 'undici'
import { type Address, createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Contents of the `credentials.json` that `npm start` writes. */
export type Credentials = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly caCert: string
  readonly adminUrl: string
  readonly adminToken: string
  readonly chains: readonly {
    readonly id: number
    readonly rpcUrl: string
    readonly pool: Address
    readonly positions: Address
    readonly token: Address
    readonly signer: Address
  }[]
  readonly wallets: readonly { readonly address: Address; readonly privateKey: Hex }[]
}

/** Returns the credentials of the running sandbox. Ends the program with what to do if there is none. */
export async function readCredentials(directory: string): Promise<Credentials> {
  const path = join(directory, 'credentials.json')
  const advice = 'Run `npm start` in another terminal and wait for its line "ready", then run this again.'
  const end = (problem: string) => {
    process.stderr.write(`${problem} ${advice}\n`)
    process.exit(1)
  }
  if (!existsSync(path)) return end(`There is no sandbox in ${directory}.`)
  const credentials = JSON.parse(readFileSync(path, 'utf8')) as Credentials
  const { baseUrl } = credentials
  const answer = trustSandbox(credentials)(`${baseUrl}/livez`, {})
  return answer.then(
    () => credentials,
    () => end(`The sandbox at ${baseUrl} does not run.`),
  )
}

/** Returns a `fetch` that trusts the sandbox's certificate authority. A real service needs only the platform's `fetch`. */
export function trustSandbox({ caCert }: Pick<Credentials, 'caCert'>): FetchFunction {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caCert) } })
  return ((input: string, init: object) => fetchWith(input, { ...init, dispatcher })) as unknown as FetchFunction
}

/** Returns a client of the sandbox's chain, and one of a wallet on it that signs its own transactions. */
export function openChain(
  { id, rpcUrl }: Credentials['chains'][number],
  { privateKey }: Credentials['wallets'][number],
) {
  const chain = defineChain({
    id,
    name: 'sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const options = { chain, transport: http(rpcUrl), pollingInterval: 100, cacheTime: 0 }
  const account = privateKeyToAccount(privateKey)
  return { reader: createPublicClient(options), wallet: createWalletClient({ ...options, account }) }
}
