import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import type { SoakChain } from '../environment/chain.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import { call } from './call.ts'

const body = JSON.stringify({ query: '{ _meta { block { number } } positionInfos(first: 5) { id } }' })

type Attempt = { readonly ca: string; readonly chainId: number }

/** Queries the embedded subgraph of a process. Returns the problem of the result, or undefined. */
export async function findReadProblem(
  { baseUrl }: Pick<ServiceProcess, 'baseUrl'>,
  attempt: Attempt,
): Promise<string | undefined> {
  try {
    const { positionInfos } = await read(baseUrl, attempt)
    return positionInfos.length === 5 ? undefined : `${positionInfos.length} of 5 positions`
  } catch (error) {
    return (error as Error).message
  }
}

/** Resolves when the embedded subgraph of a process has indexed the chain. */
export async function waitUntilIndexed(
  { baseUrl }: Pick<ServiceProcess, 'baseUrl'>,
  { ca, chain }: { readonly ca: string; readonly chain: SoakChain },
): Promise<void> {
  for (;;) {
    const [height] = await callNode(chain.url, [{ method: 'eth_blockNumber', params: [] }])
    const known = await read(baseUrl, { ca, chainId: chain.id }).catch(() => undefined)
    // There is a new block every second.
    if (known && known._meta.block.number >= Number(height) - 2) return
    await setTimeout(200)
  }
}

type Read = {
  readonly _meta: { readonly block: { readonly number: number } }
  readonly positionInfos: readonly unknown[]
}

async function read(baseUrl: string, { ca, chainId }: Attempt): Promise<Read> {
  const agent = new Agent({ ca })
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await call(`${baseUrl}/subgraphs/${chainId}`, { agent, method: 'POST', headers, body })
    const { data } = JSON.parse(answer.body) as { data?: Read }
    if (!data) throw new Error(`${answer.status} ${answer.body.slice(0, 200)}`)
    return data
  } finally {
    agent.destroy()
  }
}
