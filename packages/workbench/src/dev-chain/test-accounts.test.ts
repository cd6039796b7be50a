import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { testAccounts } from './test-accounts.ts'

test('default: the accounts are derived from the mnemonic', () => {
  const mnemonic = 'test test test test test test test test test test test junk'
  const derived = testAccounts.map((_, addressIndex) => {
    const account = mnemonicToAccount(mnemonic, { addressIndex })
    return [account.address.toLowerCase(), toHex(account.getHdKey().privateKey as Uint8Array)]
  })
  expect(testAccounts).toEqual(derived)
  expect(testAccounts).toHaveLength(20)
})
