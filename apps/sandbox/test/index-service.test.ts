// @module-tag postgres
// @module-tag server

import { waitOptions } from '@tallystick/workbench/wait-options'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Behaviour, forwardAll, startProxy, type TestProxy } from '../../../packages/subgraph/test/follow-proxy.ts'
import { approvePosition, claimCall, lendCall } from './calls.ts'
import { type Chain, dollars, send, startChain, startsAt } from './chain.ts'
import { startOnChain } from './service-on-chain.ts'

let chain: Chain
let losing: TestProxy
let ann: PrivateKeyAccount
beforeAll(async () => {
  chain = await startChain()
  ;[ann] = chain.wallets as [PrivateKeyAccount]
  losing = await startProxy(chain.client.transport.url)
  const args = [chain.pool, dollars(1_000_000)]
  await send(chain, { from: ann.address, to: chain.token, functionName: 'approve', args })
})
afterAll(async () => {
  await losing.stop()
  await chain.stop()
})

const loseLogs: Behaviour = ({ forward }) =>
  forward(({ method }, { id, ...answer }) => {
    if (method === 'eth_getLogs') return { id, result: [] }
    return method === 'eth_getBlockReceipts'
      ? { id, error: { code: -32601, message: 'unknown method' } }
      : { id, ...answer }
  })

test('behavior: a fault of the index is told by /data, /rate and the readiness until it is repaired', async () => {
  const subgraph = { embedded: { positions: chain.positions, startBlock: 0 } }
  const service = await startOnChain(chain, { preflight: 'warn', atSeconds: startsAt, rpc: [losing.url], subgraph })
  losing.behave(loseLogs)
  await send(chain, await lendCall(chain, { lender: ann.address }))
  await send(chain, approvePosition(chain, ann.address, 1n))
  const lost = Number((await chain.client.getBlock()).number)
  const ask = () => service.query('{ _meta { hasIndexingErrors block { number } } positionInfos { status } }')
  await expect.poll(async () => (await ask()).data?._meta.block.number, waitOptions).toBeGreaterThanOrEqual(lost)
  const claimed = await send(chain, claimCall(chain, ann.address, 1n))
  // The node has the logs of the last block again, not those before it.
  losing.behave(({ forward }) =>
    forward(({ method, params: [filter] }, { id, ...answer }) => {
      const isOld = (filter as { blockHash?: string })?.blockHash !== claimed.blockHash
      return method === 'eth_getLogs' && isOld ? { id, result: [] } : { id, ...answer }
    }),
  )
  await expect.poll(async () => (await ask()).heads, waitOptions).toContain(';errors=1')
  expect((await ask()).data).toMatchObject({ _meta: { hasIndexingErrors: true }, positionInfos: [] })
  const problem = `Position 1 was claimed in transaction ${claimed.transactionHash} of block ${claimed.blockNumber}`
  await expect.poll(async () => JSON.stringify((await service.readyz()).findings), waitOptions).toContain(problem)
  await expect
    .poll(async () => (await service.get('/rate')).body.chains[0].syncReason, waitOptions)
    .toContain('is incomplete and is being repaired')
  losing.behave(forwardAll)
  await expect.poll(async () => (await ask()).data?.positionInfos, waitOptions).toEqual([{ status: 'Claimed' }])
  await expect.poll(async () => (await ask()).heads, waitOptions).not.toContain('errors')
})
