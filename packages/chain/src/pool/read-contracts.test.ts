import { type Address, domainSeparator, encodeAbiParameters, type Hex, toFunctionSelector, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { readContracts } from './read-contracts.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const position = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
const dollar = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const denylister = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'

type Answers = Readonly<Record<string, Hex | undefined>>

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])
const address = (value: Address) => encodeAbiParameters([{ type: 'address' }], [value])
const separatorOf = (name: string, { version = '1', of = dollar as Address } = {}) =>
  domainSeparator({ domain: { name, version, chainId: 324, verifyingContract: of } })

/** Returns an endpoint whose contracts answer getters with these values and revert for all others. */
function endpointOf(contracts: Readonly<Record<Address, Answers>>): RpcEndpoint {
  const call: RpcEndpoint['call'] = async ({ params }) => {
    const [{ to, data }] = params as readonly [{ readonly to: Address; readonly data: Hex }]
    const answer = Object.entries(contracts[to] ?? {}).find(([name]) => toFunctionSelector(`${name}()`) === data)?.[1]
    if (answer !== undefined) return answer
    throw new RpcError({ kind: 'error', code: 3, message: 'execution reverted' })
  }
  return { label: 'test', call, callMany: (calls) => Promise.all(calls.map(call)) }
}

const named = { nonFungibleNotePosition: address(position), paraUSD: address(dollar) }
const goodDollar: Answers = {
  name: text('Tallystick Dollar'),
  symbol: text('tsUSD'),
  decimals: word(18n),
  DOMAIN_SEPARATOR: separatorOf('Tallystick Dollar'),
}
const readDollar = async (answers: Answers) => {
  const endpoint = endpointOf({ [pool]: named, [dollar]: { ...goodDollar, ...answers } })
  return (await readContracts(endpoint, { pool, chainId: 324 })).dollar
}

test('default: addresses, names, domains and the denylister', async () => {
  const positionName = 'Tallystick Position'
  const endpoint = endpointOf({
    [pool]: named,
    [position]: {
      name: text(positionName),
      symbol: text('tsPOS'),
      DOMAIN_SEPARATOR: separatorOf(positionName, { of: position }),
      denylister: address(denylister),
    },
    [dollar]: goodDollar,
  })
  expect(await readContracts(endpoint, { pool, chainId: 324 })).toEqual({
    positionToken: {
      address: position,
      name: positionName,
      symbol: 'tsPOS',
      decimals: undefined,
      domain: { name: positionName, version: '1', chainId: 324, verifyingContract: position },
    },
    dollar: {
      address: dollar,
      name: 'Tallystick Dollar',
      symbol: 'tsUSD',
      decimals: 18,
      domain: { name: 'Tallystick Dollar', version: '1', chainId: 324, verifyingContract: dollar },
    },
    denylister,
  })
})

test('behavior: the version of a domain is the token’s own if it has one that fits', async () => {
  const two = { version: text('2'), DOMAIN_SEPARATOR: separatorOf('Tallystick Dollar', { version: '2' }) }
  expect((await readDollar(two))?.domain?.version).toBe('2')
  // The version of the contract is not always that of the domain.
  expect((await readDollar({ version: text('2') }))?.domain?.version).toBe('1')
})

test.each([
  ['another chain', separatorOf('Tallystick Dollar', { of: position })],
  ['another name', separatorOf('Dollar')],
  ['another version', separatorOf('Tallystick Dollar', { version: '2' })],
  ['no hash', '0x' as Hex],
  ['no separator', undefined],
])('error: a separator of %s gives no domain', async (_, DOMAIN_SEPARATOR) => {
  expect(await readDollar({ DOMAIN_SEPARATOR })).toMatchObject({ name: 'Tallystick Dollar', domain: undefined })
})

test.each([
  ['too long', 'x'.repeat(65)],
  ['empty', ''],
  ['a line break', 'Dollar\nSend all to'],
  ['a reversed direction', 'Dollar\u202eRALLOD'],
  ['a line separator', 'Dollar\u2028'],
  ['a null', 'Dollar\0'],
])('error: a name or symbol that is hostile is undefined: %s', async (_, value) => {
  const facts = await readDollar({ name: text(value), symbol: text(value), DOMAIN_SEPARATOR: separatorOf(value) })
  expect(facts).toMatchObject({ name: undefined, symbol: undefined, domain: undefined, decimals: 18 })
})

test.each([
  ['no string', word(1n)],
  ['a length beyond the data', `${word(32n)}${'f'.repeat(64)}` as Hex],
  ['nothing', '0x' as Hex],
])('error: %s for a text is undefined', async (_, value) => {
  expect(await readDollar({ name: value, symbol: value })).toMatchObject({ name: undefined, symbol: undefined })
})

test.each([78n, 255n, 2n ** 256n - 1n])('error: %d decimals are undefined', async (decimals) => {
  expect(await readDollar({ decimals: word(decimals) })).toMatchObject({ decimals: undefined })
})

test('error: a contract that is no pool names none, and the zero address is none', async () => {
  const nothing = { positionToken: undefined, dollar: undefined, denylister: undefined }
  expect(await readContracts(endpointOf({}), { pool, chainId: 324 })).toEqual(nothing)
  const zero = { nonFungibleNotePosition: address(zeroAddress), paraUSD: '0x' as Hex }
  expect(await readContracts(endpointOf({ [pool]: zero }), { pool, chainId: 324 })).toEqual(nothing)
})
