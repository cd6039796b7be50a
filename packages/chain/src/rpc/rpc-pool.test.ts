import { expect, onTestFinished, test, vi } from 'vitest'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import { RpcError } from './rpc-error.ts'
import { createRpcPool, NoRpcError } from './rpc-pool.ts'

const log = { info: () => undefined, warn: () => undefined }

test('behavior: a failed endpoint is used again after its delay, whatever the system clock does', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let isDown = true
  const endpoint: RpcEndpoint = {
    label: 'rpc.example',
    url: 'http://rpc.example',
    call: async () => {
      if (isDown) throw new RpcError({ kind: 'unreachable', message: 'cannot be reached' })
      return '0x1'
    },
    callMany: async () => [],
  }
  const { run } = createRpcPool({ endpoints: [endpoint], chainId: 1, log, retryMs: 0 })
  const read = () => run(({ call }) => call({ method: 'eth_chainId', params: [] }))
  await expect(read()).rejects.toThrow(NoRpcError)
  isDown = false
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(await read()).toBe('0x1')
})
