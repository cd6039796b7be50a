import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { onTestFinished } from 'vitest'

/** A node that knows one block, of a time of our choosing, and no contract. It waits for `hang` before it answers. */
export async function startFakeRpc({
  timestampSeconds,
  chainId = 324,
  hang = () => undefined,
}: {
  readonly timestampSeconds: number | (() => number)
  readonly chainId?: number
  readonly hang?: () => Promise<void> | undefined
}): Promise<string> {
  const readTime = () => (typeof timestampSeconds === 'number' ? timestampSeconds : timestampSeconds())
  const readResult = (method: string): unknown => {
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`
    if (method !== 'eth_getBlockByNumber') return '0x'
    return { number: '0x1', timestamp: `0x${readTime().toString(16)}`, transactions: [] }
  }
  const server = await startLocalServer(async (request, response) => {
    await hang()
    const { id, method } = JSON.parse(await text(request))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: readResult(method) }))
  })
  onTestFinished(server.stop)
  return server.url
}
