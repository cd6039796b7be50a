import { type RpcCall, type RpcEndpoint, RpcError } from '@tallystick/chain'
import { expect, test } from 'vitest'
import type { QueryRequest } from '../../query/request/read-request.ts'
import { auditIndex } from './audit-index.ts'

const pool = `0x${'aa'.repeat(20)}`
const positions = `0x${'bb'.repeat(20)}`
const hash = `0x${'09'.repeat(32)}`
const word = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, '0')
const ownerOfId = (id: number) => `0x${(id % 600).toString(16).padStart(40, '0')}`
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const revert = new RpcError({ kind: 'error', code: 3, message: 'execution reverted' })

/** A chain with positions 1 to `last`, all held, and floating incomes of 10 on the days 100 to 102. */
function createEndpoint(last: number): RpcEndpoint {
  const balances = new Map<string, number>()
  for (const id of range(1, last)) balances.set(ownerOfId(id), (balances.get(ownerOfId(id)) ?? 0) + 1)
  const read = (data: string): string | RpcError => {
    const [selector, argument] = [data.slice(0, 10), BigInt(`0x${data.slice(10) || '0'}`)]
    const exists = argument >= 1n && argument <= BigInt(last)
    if (selector === '0x6352211e') return exists ? `0x${word(ownerOfId(Number(argument)))}` : revert
    if (selector === '0x4e932e72') return exists ? `0x${[1, 2, 3, 4, 5, 6].map(word).join('')}` : revert
    if (selector === '0x70a08231') return `0x${word(balances.get(`0x${data.slice(-40)}`) ?? 0)}`
    if (selector === '0x01a5fa62') return `0x${word(Math.max(0, Math.min(3, Number(argument) - 99)) * 10)}`
    if (selector === '0x1efa9743') return `0x${word(102)}`
    return `0x${word(0)}`
  }
  const callMany = async (calls: readonly RpcCall[]) =>
    calls.map(({ method, params }) =>
      method === 'eth_call'
        ? read((params[0] as { readonly data: string }).data)
        : { number: '0x9', hash, parentHash: hash, timestamp: '0x1' },
    )
  return { label: 'node', call: async () => undefined, callMany } as Partial<RpcEndpoint> as RpcEndpoint
}

/** An index at block 9 that has these positions and days. */
function createIndex({ ids, days }: { readonly ids: readonly number[]; readonly days: readonly number[] }) {
  const owners = [...new Set(ids.map(ownerOfId))].toSorted()
  const rowsAfter = (query: string): readonly object[] => {
    const [, after = ''] = /_gt: "?(\w+)"?/.exec(query) ?? []
    if (query.includes('positionInfos(first: 1,')) return [{ tokenId: String(ids.at(-1)) }]
    if (query.includes('positionInfos')) return ids.filter((id) => id > Number(after)).map(toPosition)
    if (query.includes('accounts')) return owners.filter((id) => id > after).map(toAccount)
    if (query.includes('floatingIncomes')) return days.filter((day) => !(day <= Number(after || -1))).map(toDay)
    return [{ paused: false, minLendLimit: '0', lastFloatingIncomeDay: 102 }]
  }
  const toAccount = (id: string) => ({ id, activePositions: ids.filter((one) => ownerOfId(one) === id).length })
  return {
    execute: async ({ query }: Pick<QueryRequest, 'query'>) => {
      const rows = rowsAfter(query).slice(0, 500)
      return { data: { _meta: { block: { number: 9, hash } }, entities: rows, positionInfos: rows } }
    },
  }
}

function toPosition(id: number) {
  const terms = { lendTimestamp: '1', maturityTimestamp: '2', coupon: '3', principal: '4', partnerFeeBPS: '5' }
  const partnerId = `0x${word(6)}`
  return { id: String(id), tokenId: String(id), status: 'Active', currentOwner: ownerOfId(id), ...terms, partnerId }
}

function toDay(day: number) {
  return { day, floatingIncome: '10', accFloatingIncome: String((day - 99) * 10) }
}

function audit(
  index: Parameters<typeof createIndex>[0],
  last: number,
  onProgress = (_: object) => undefined as unknown,
) {
  const endpoint = createEndpoint(last)
  return auditIndex({
    subgraph: createIndex(index),
    rpc: { run: (work: (one: RpcEndpoint) => Promise<unknown>) => work(endpoint), problem: undefined } as never,
    ...{ pool, positions, signal: new AbortController().signal, onProgress },
  })
}

const allDays = [100, 101, 102]

test.each([499, 500, 501, 1_000, 1_001])(
  'default: an index of %i positions that agrees is compared whole',
  async (last) => {
    const progress: object[] = []
    const result = await audit({ ids: range(1, last), days: allDays }, last, (one) => progress.push(one))
    const compared = { positions: last, accounts: Math.min(last, 600), days: 3 }
    expect(result).toEqual({ block: { number: 9, hash }, compared, contradictions: [] })
    expect(progress.at(-1)).toEqual({ compared: last, of: last })
  },
)

test('error: positions are missing at the start, at the edge of a page and in the middle', async () => {
  const missing = [1, 502, 700, 701, 702]
  const ids = range(1, 800).filter((id) => !missing.includes(id))
  const { contradictions } = await audit({ ids, days: allDays }, 800)
  expect(contradictions.filter((text) => text.startsWith('Position'))).toEqual([
    'Position 1 is missing in the index.',
    'Position 502 is missing in the index.',
    'Positions 700 to 702 are missing in the index.',
  ])
  expect(contradictions.filter((text) => text.startsWith('Account')).length).toBe(4)
})

test('error: positions after the last known one exist on the chain, also if the index has none or full pages', async () => {
  for (const known of [0, 500]) {
    const { contradictions } = await audit({ ids: range(1, known), days: allDays }, known + 2)
    expect(contradictions.slice(0, 2)).toEqual(
      [known + 1, known + 2].map(
        (id) => `Position ${id} of ${ownerOfId(id)} exists on the chain and not in the index.`,
      ),
    )
  }
})

test('error: days are missing at the start and in the middle', async () => {
  const { contradictions } = await audit({ ids: [1], days: [102] }, 1)
  expect(contradictions).toEqual(['Day 101 is reported on the chain and missing in the index.'])
  expect((await audit({ ids: [1], days: [100, 102] }, 1)).contradictions).toEqual(contradictions)
})
