import { Agent } from 'node:https'
import { call } from './call.ts'
import { remoteChainId } from './explain.ts'
import type { Member } from './member.ts'

const body = JSON.stringify({ query: '{ positionInfos(first: 5) { id } }' })

/** Asks the embedded subgraph of a process; what is wrong with its answer, or undefined. */
export async function readsGoOn({ baseUrl }: Pick<Member, 'baseUrl'>, ca: string): Promise<string | undefined> {
  const agent = new Agent({ ca })
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await call(`${baseUrl}/subgraphs/${remoteChainId}`, { agent, method: 'POST', headers, body })
    const { data } = JSON.parse(answer.body) as { data?: { positionInfos?: readonly unknown[] } }
    return data?.positionInfos?.length === 5 ? undefined : `${answer.status} ${answer.body.slice(0, 200)}`
  } catch (error) {
    return (error as Error).message
  } finally {
    agent.destroy()
  }
}
