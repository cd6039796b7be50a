import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Address } from 'viem'
import { startSandbox as startProcess } from '../../../test/set-up/start-sandbox.ts'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

type ChainCredentials = {
  readonly id: number
  readonly rpcUrl: string
  readonly pool: Address
  readonly positions: Address
  readonly token: Address
  readonly signer: Address
  readonly subgraphUrl: string
}

/** Members of the sandbox's credentials that these tests use. */
export type Credentials = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly caCert: string
  readonly adminUrl: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly chains: readonly [ChainCredentials, ...ChainCredentials[]]
  readonly wallets: readonly { readonly address: Address }[]
}

export type Sandbox = { readonly credentials: Credentials; stop(): Promise<void> }

/** Starts what `npm start` runs. Resolves when it is ready. */
export async function startSandbox(...options: readonly string[]): Promise<Sandbox> {
  const { dir, stop } = await startProcess(...options)
  return { credentials: readCredentials(dir), stop }
}

/** Reads the credentials of the sandbox in a directory. */
export function readCredentials(dir: string): Credentials {
  return JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
}
