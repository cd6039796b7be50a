import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { callNode } from '@tallystick/sandbox'
import { call } from './call.ts'
import type { SoakChain } from './chain.ts'
import type { Member } from './member.ts'

const body = JSON.stringify({ query: '{ _meta { block { number } } positionInfos(first: 5) { id } }' })

type Asked = { readonly ca: string; readonly chainId: number }

/** Asks the embedded subgraph of a process; what is wrong with its answer, or undefined. */
export async function findReadProblem({ baseUrl }: Pick<Member, 'baseUrl'>, asked: Asked): Promise<string | undefined> {
  try {
    const { positionInfos } = await read(baseUrl, asked)
    return positionInfos.length === 5 ? undefined : `${positionInfos.length} of 5 positions`
  } catch (error) {
    return (error as Error).message
  }
}

/** Resolves when the embedded subgraph of a process knows all of a chain. */
export async function untilIndexed(
  { baseUrl }: Pick<Member, 'baseUrl'>,
  { ca, chain }: { readonly ca: string; readonly chain: SoakChain },
): Promise<void> {
  for (;;) {
    const [height] = await callNode(chain.url, [{ method: 'eth_blockNumber', params: [] }])
    const known = await read(baseUrl, { ca, chainId: chain.id }).catch(() => undefined)
    // A block comes every second; one of them may be under way.
    if (known && known._meta.block.number >= Number(height) - 2) return
    await setTimeout(200)
  }
}

type Read = {
  readonly _meta: { readonly block: { readonly number: number } }
  readonly positionInfos: readonly unknown[]
}

async function read(baseUrl: string, { ca, chainId }: Asked): Promise<Read> {
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
