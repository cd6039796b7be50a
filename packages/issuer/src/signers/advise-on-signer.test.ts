import { expect, test } from 'vitest'
import { adviseOnSigner } from './advise-on-signer.ts'
import type { SignerSettings } from './open-signer.ts'

const [configured, registered, pool] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}`) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]
const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool }
const advise = (
  signer: object,
  { isCommon = true, ...change }: { isCommon?: boolean; registered?: typeof pool } = {},
) => {
  const chain = { signer: signer as SignerSettings, domain }
  const config = { signer: (isCommon ? signer : {}) as never }
  return adviseOnSigner({ config, chain, configured, registered, ...change })
}

test.each([
  ['private-key', true, 'signer.key (private-key)'],
  ['keystore', true, 'signer.path (keystore)'],
  ['web3signer', false, 'chains[].signer.address (web3signer)'],
  ['aws-kms', false, 'chains[].signer.keyId (aws-kms)'],
  ['gcp-kms', true, 'signer.key (gcp-kms)'],
])('default: for a %s it names both signers, the pool and the option', (kind, isCommon, option) => {
  const advice = advise({ kind }, { isCommon })
  expect(advice).toContain(`Call setVerifierSigner(${configured}) on the pool ${pool}`)
  expect(advice).toContain(`configure the key of ${registered} in ${option}`)
})

test('behavior: an announced signer, the configured one and another domain have their own advice', () => {
  const signer = { kind: 'private-key', next: registered }
  expect(advise(signer)).toContain('The pool has the signer that signer.next announces.')
  expect(advise(signer, { registered: configured })).toContain('It signs from the next unsigned period on.')
  expect(advise(signer, { registered: undefined as never })).toContain('Correct chains[].domain')
})
