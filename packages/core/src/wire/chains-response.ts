import { z } from 'zod'
import {
  addressField,
  chainIdField,
  chainNumberField,
  createField,
  field,
  flagField,
  nullableAddressField,
  nullableBpsField,
  signedTextField,
  tenorsField,
  textField,
} from './fields.ts'

const integerForm = z.string().regex(/^\d{1,78}$/, 'must be a decimal string')
/** Text that a contract states. Longer ones and those with control characters are left out. */
const tokenTextField = createField(z.string().min(1).max(64).nullable(), 'human-readable text')

/** EIP-712 domain of a contract. */
export const signingDomainSchema = z.strictObject({
  name: signedTextField('Name of the domain.', 'NoteSignatureVerifier'),
  version: signedTextField('Version of the domain. A string: a number would change the hash.', '1'),
  chainId: chainNumberField('The chain.', 324),
  verifyingContract: addressField(
    'The contract that verifies the signature.',
    '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781',
  ),
})

const tokenFields = {
  name: tokenTextField('Name by the contract. Null while unknown.', 'Tallystick Position'),
  symbol: tokenTextField('Symbol by the contract. Null while unknown.', 'tsPOS'),
}

const permitDomain = signingDomainSchema
  .nullable()
  .meta({ description: 'Domain of its permits. Null while unknown, or if its hash is not the contract’s separator.' })

/** The position token of a pool. */
export const positionTokenSchema = z.strictObject({
  address: addressField('Address of the position token.', '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'),
  ...tokenFields,
  domain: permitDomain,
})

/** The dollar of a pool. */
export const dollarSchema = z.strictObject({
  address: addressField('Address of the dollar token.', '0x5FbDB2315678afecb367f032d93F642f64180aa3'),
  ...tokenFields,
  decimals: field(z.int().min(0).max(77).nullable(), {
    description: 'Decimal places of amounts. Null while unknown.',
    unit: 'digits',
    example: 18,
  }),
  domain: permitDomain,
})

/** Limits that a pool enforces when dollars are lent. */
export const poolLimitsSchema = z.strictObject({
  minLend: field(integerForm.nullable(), {
    description: 'Least principal of a loan. Null while unknown.',
    unit: 'smallest unit of the dollar',
    example: '1000000000000000000000',
  }),
  maxCoupon: nullableBpsField('Highest coupon of a note. Null while unknown.', '1000'),
  minMaturitySeconds: field(integerForm.nullable(), {
    description: 'Least time from the loan to its maturity. Null while unknown.',
    unit: 'seconds',
    example: '172800',
  }),
})

/** A chain of the service and its contracts (DESIGN.md §2.5). */
export const chainInfoSchema = z.strictObject({
  chainid: chainIdField('The chain.', '324'),
  name: field(z.string().min(1), {
    description: 'Name of the chain.',
    unit: 'human-readable text',
    example: 'zkSync Era',
  }),
  pool: addressField('Address of the pool.', '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'),
  domain: signingDomainSchema.meta({ description: 'Domain of the notes.' }),
  signer: addressField(
    'Address that signs the notes of this service for this chain.',
    '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  ),
  registeredSigner: nullableAddressField(
    'Address whose notes the pool accepts now. Null while unknown.',
    '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  ),
  positionToken: positionTokenSchema
    .nullable()
    .meta({ description: 'Token whose holder owns a position. Null while unknown.' }),
  dollar: dollarSchema.nullable().meta({ description: 'Token that is lent. Null while unknown.' }),
  denylister: nullableAddressField(
    'Contract with `isDenylisted(address)`. A listed account can neither lend nor receive. It can claim to another account a position that it approved before it was listed. Null while unknown.',
    '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
  ),
  tenors: tenorsField(
    'Tenors that this service offers on this chain, ascending. Not all of them need be on offer now.',
    [7, 14, 30, 60, 90, 180, 360],
  ),
  limits: poolLimitsSchema.meta({ description: 'Limits of the pool.' }),
  explorerUrl: field(z.string().nullable(), {
    description: 'Base address of a block explorer, if the operator names one.',
    unit: 'URL',
    example: 'https://explorer.example.com',
  }),
  subgraphUrl: field(z.string().nullable(), {
    description: 'Path of the chain’s public subgraph on this service. Null if the service has none.',
    unit: 'path relative to the base URL',
    example: '/subgraphs/324',
  }),
  hasData: flagField('Whether `POST /data` answers for this chain.', true),
})
/** A chain of the service and its contracts. */
export type ChainInfo = z.infer<typeof chainInfoSchema>

/** Response body of `GET /chains` (DESIGN.md §2.5). */
export const chainsResponseSchema = z.strictObject({
  message: textField('Number of chains.', '1 chain.'),
  chains: z.array(chainInfoSchema).meta({ description: 'The chains of the service, ascending by chain id.' }),
})
/** Response body of `GET /chains`. */
export type ChainsResponse = z.infer<typeof chainsResponseSchema>
