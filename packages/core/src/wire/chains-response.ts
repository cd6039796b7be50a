import { z } from 'zod'
import { field } from './field.ts'
import { bpsForm, bpsUnit, chainIdForm, chainNumberForm } from './forms.ts'

const addressForm = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
const addressUnit = 'address with EIP-55 checksum'
const integerForm = z.string().regex(/^\d{1,78}$/, 'must be a decimal string')
/** Text that a contract states. Longer ones and those with control characters are left out. */
const tokenTextForm = z.string().min(1).max(64)

/** EIP-712 domain of a contract. */
export const signingDomainSchema = z.strictObject({
  name: field(z.string().min(1), {
    description: 'Name of the domain.',
    unit: 'text, as signed',
    example: 'NoteSignatureVerifier',
  }),
  version: field(z.string().min(1), {
    description: 'Version of the domain. A string: a number would change the hash.',
    unit: 'text, as signed',
    example: '1',
  }),
  chainId: field(chainNumberForm, { description: 'The chain.', unit: 'chain id', example: 324 }),
  verifyingContract: field(addressForm, {
    description: 'The contract that verifies the signature.',
    unit: addressUnit,
    example: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781',
  }),
})

const tokenFields = {
  name: field(tokenTextForm.nullable(), {
    description: 'Name by the contract. Null while unknown.',
    unit: 'human-readable text',
    example: 'Tallystick Position',
  }),
  symbol: field(tokenTextForm.nullable(), {
    description: 'Symbol by the contract. Null while unknown.',
    unit: 'human-readable text',
    example: 'tsPOS',
  }),
}

const permitDomain = signingDomainSchema
  .nullable()
  .meta({ description: 'Domain of its permits. Null while unknown, or if its hash is not the contract’s separator.' })

/** The position token of a pool. */
export const positionTokenSchema = z.strictObject({
  address: field(addressForm, {
    description: 'Address of the position token.',
    unit: addressUnit,
    example: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
  }),
  ...tokenFields,
  domain: permitDomain,
})

/** The dollar of a pool. */
export const dollarSchema = z.strictObject({
  address: field(addressForm, {
    description: 'Address of the dollar token.',
    unit: addressUnit,
    example: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  }),
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
  maxCoupon: field(bpsForm.nullable(), {
    description: 'Highest coupon of a note. Null while unknown.',
    unit: bpsUnit,
    example: '1000',
  }),
  minMaturitySeconds: field(integerForm.nullable(), {
    description: 'Least time from the loan to its maturity. Null while unknown.',
    unit: 'seconds',
    example: '172800',
  }),
})

/** A chain of the service and its contracts (DESIGN.md §2.5). */
export const chainInfoSchema = z.strictObject({
  chainid: field(chainIdForm, { description: 'The chain.', unit: 'chain id', example: '324' }),
  name: field(z.string().min(1), {
    description: 'Name of the chain.',
    unit: 'human-readable text',
    example: 'zkSync Era',
  }),
  pool: field(addressForm, {
    description: 'Address of the pool.',
    unit: addressUnit,
    example: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781',
  }),
  domain: signingDomainSchema.meta({ description: 'Domain of the notes.' }),
  signer: field(addressForm, {
    description: 'Address that signs the notes of this service for this chain.',
    unit: addressUnit,
    example: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  }),
  registeredSigner: field(addressForm.nullable(), {
    description: 'Address whose notes the pool accepts now. Null while unknown.',
    unit: addressUnit,
    example: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  }),
  positionToken: positionTokenSchema
    .nullable()
    .meta({ description: 'Token whose holder owns a position. Null while unknown.' }),
  dollar: dollarSchema.nullable().meta({ description: 'Token that is lent. Null while unknown.' }),
  denylister: field(addressForm.nullable(), {
    description:
      'Contract with `isDenylisted(address)`. A listed account can neither lend nor receive. It can claim to another account a position that it approved before it was listed. Null while unknown.',
    unit: addressUnit,
    example: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
  }),
  tenors: field(z.array(z.int().positive()), {
    description: 'Tenors that this service offers on this chain, ascending. Not all of them need be on offer now.',
    unit: 'days',
    example: [7, 14, 30, 60, 90, 180, 360],
  }),
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
  hasData: field(z.boolean(), {
    description: 'Whether `POST /data` answers for this chain.',
    unit: 'true or false',
    example: true,
  }),
})
/** A chain of the service and its contracts. */
export type ChainInfo = z.infer<typeof chainInfoSchema>

/** Response body of `GET /chains` (DESIGN.md §2.5). */
export const chainsResponseSchema = z.strictObject({
  message: field(z.string(), {
    description: 'Number of chains.',
    unit: 'human-readable text',
    example: '1 chain.',
  }),
  chains: z.array(chainInfoSchema).meta({ description: 'The chains of the service, ascending by chain id.' }),
})
/** Response body of `GET /chains`. */
export type ChainsResponse = z.infer<typeof chainsResponseSchema>
