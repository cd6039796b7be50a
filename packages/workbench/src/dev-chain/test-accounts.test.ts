import { pbkdf2Sync } from 'node:crypto'
import { toHex } from 'viem'
import { HDKey, hdKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { testAccounts } from './test-accounts.ts'

test('default: the accounts are derived from the mnemonic', () => {
  const mnemonic = 'test test test test test test test test test test test junk'
  // The seed as BIP-39 defines it.
  const hdKey = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512'))
  const derived = testAccounts.map((_, addressIndex) => {
    const account = hdKeyToAccount(hdKey, { addressIndex })
    return [account.address.toLowerCase(), toHex(account.getHdKey().privateKey as Uint8Array)]
  })
  expect(testAccounts).toEqual(derived)
  expect(testAccounts).toHaveLength(20)
})
