import { expect, test } from 'vitest'
import type { SignerSettings } from './open-signer.ts'
import { listSigners, openSigners } from './open-signers.ts'

const secret = (value: string) => ({ reveal: () => value })
const keyOf = (digit: string): SignerSettings => ({ kind: 'private-key', key: secret(`0x${digit.repeat(64)}`) })
const web3 = (url: string, token: string): SignerSettings => ({
  kind: 'web3signer',
  url,
  address: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  headers: { authorization: secret(token) },
})

function groupsOf(signers: readonly SignerSettings[]): number[][] {
  const chains = signers.map((signer, index) => ({ id: index + 1, signer }))
  return listSigners(chains).map((use) => use.chains.map(({ id }) => id))
}

test('default: chains with equal settings share a signer, with or without a journal', () => {
  const withJournal = Object.assign(keyOf('1'), { journal: '/journal' })
  expect(groupsOf([keyOf('1'), keyOf('2'), keyOf('1'), withJournal])).toEqual([[1, 3, 4], [2]])
})

test('behavior: different settings or secrets are different signers', () => {
  const [a, b] = ['https://a.example', 'https://b.example']
  expect(groupsOf([web3(a, 'x'), web3(b, 'x'), web3(a, 'y'), web3(a, 'x')])).toEqual([[1, 4], [2], [3]])
})

test('behavior: a signer of several chains is opened once', async () => {
  const signers = await openSigners([
    { id: 1, signer: keyOf('1') },
    { id: 2, signer: keyOf('2') },
    { id: 3, signer: keyOf('1') },
  ])
  expect(signers.get(3)).toBe(signers.get(1))
  expect(signers.get(2)?.address).not.toBe(signers.get(1)?.address)
})
