import { readFileSync } from 'node:fs'
import * as react from 'react'
import * as server from 'react-dom/server'
import * as viem from 'viem'
import * as accounts from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as exported from '../src/index.ts'
import * as hooks from '../src/react/index.ts'
import * as actions from '../src/viem/index.ts'
import { apiKey, type FakeApi, noteSigner, pool, startFakeApi } from './fake-api.ts'
import { findDocumentedNames, findExamples, findReadmeBlocks } from './find-examples.ts'
import { runExample } from './run-example.ts'

const examples = findExamples()
const readmeBlocks = findReadmeBlocks()
const wallet = `0x${'11'.repeat(20)}`

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
  const day = { day: 20_500, floatingIncome: '1', accFloatingIncome: '1', updatedAt: '1' }
  api.chains.set(324, { positions: [position], floatingIncomes: [day], accounts: {} })
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
})

const position = {
  tokenId: '7',
  currentOwner: wallet,
  initalOwner: wallet,
  initiator: wallet,
  coupon: '401',
  principal: '1000000000000000000000',
  lendTimestamp: '1737522000',
  maturityTimestamp: '1739314800',
  partnerFeeBPS: '0',
  partnerId: `0x${'00'.repeat(32)}`,
  status: 'Active',
  lendTransactionHash: `0x${'0d'.repeat(32)}`,
}

/** Wallet on a chain with a paused pool. */
const provider = {
  request: async ({ method }: { readonly method: string }) => {
    if (method === 'eth_chainId') return '0x144'
    if (method === 'eth_getCode') return '0x'
    if (method === 'eth_getBlockByNumber') return { number: '0x1', timestamp: '0x1', transactions: [] }
    throw { code: 3, message: 'execution reverted', data: '0xd93c0665' }
  },
}

function world() {
  const lines: unknown[] = []
  const scope = {
    ...exported,
    ...actions,
    ...hooks,
    provider,
    client: exported.createClient({ baseUrl: api.baseUrl, apiKey }),
    ...{ apiKey, pool, wallet, signer: noteSigner.address },
    ...{ log: `${api.baseUrl}/log`, key: api.log.key },
    ...{ token: `0x${'0e'.repeat(20)}`, positions: `0x${'0f'.repeat(20)}` },
    console: { log: (...values: readonly unknown[]) => lines.push(values) },
    process: { env: { TALLYSTICK_API_KEY: apiKey, TALLYSTICK_LOG_KEY: api.log.key } },
  }
  const modules = {
    viem,
    'viem/accounts': accounts,
    react,
    'react-dom/server': server,
    '@tallystick/client': exported,
    '@tallystick/client/viem': actions,
    '@tallystick/client/react': hooks,
  }
  return { lines, baseUrl: api.baseUrl, scope, modules }
}

describe('default: every example of a doc comment returns the documented value', () => {
  test.each(examples.map((example, index) => ({ ...example, index })))('$name ($index)', async (example) => {
    const given = world()
    const checks = await runExample(example, given)
    // An example without a value, a request or output shows nothing.
    expect(checks + api.requests.length + given.lines.length).toBeGreaterThan(0)
  })
})

describe('default: every block of the README runs as printed', () => {
  test('there are README blocks', () => {
    expect(readmeBlocks.length).toBeGreaterThan(4)
  })

  test.each(readmeBlocks)('$name', async (block) => {
    const given = world()
    // Only its own imports are in scope.
    const { console, process } = given.scope
    const checks = await runExample(block, { ...given, scope: { console, process } })
    expect(checks + api.requests.length + given.lines.length).toBeGreaterThan(0)
  })
})

test('behavior: every export has an example', () => {
  const shown = new Set(examples.map((example) => example.name))
  const names = [exported, actions, hooks].flatMap((entry) => Object.keys(entry))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !shown.has(name))).toEqual([])
})

test('behavior: every exported type has a doc comment', () => {
  const index = ['../src/index.ts', '../src/viem/index.ts', '../src/react/index.ts'].map((path) =>
    readFileSync(new URL(path, import.meta.url), 'utf8'),
  )
  const names = [...index.join('\n').matchAll(/\btype (?:\{([^}]+)\}|(\w+))/g)].flatMap(([, list, one]) =>
    (list ?? one ?? '').split(',').map((name) => name.trim()),
  )
  const undocumented = names.filter((name) => name && !findDocumentedNames().has(name))
  expect(names.length).toBeGreaterThan(30)
  expect(undocumented).toEqual([])
})
