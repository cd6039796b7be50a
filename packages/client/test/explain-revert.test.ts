import { type Abi, BaseError, ContractFunctionRevertedError, encodeErrorResult, getAddress, parseAbiItem } from 'viem'
import { describe, expect, test } from 'vitest'
import { explainRevert, revertAbi } from '../src/revert/explain-revert.ts'

// Signatures and selectors as published, not taken from the package's own ABI.
const published = [
  ['FeedSignatureVerifier__FeedNotYetValid(uint128)', '0xfe6e3778'],
  ['FeedSignatureVerifier__FeedExpired(uint128)', '0xb2da565b'],
  ['FeedSignatureVerifier__InvalidSigner(address,address)', '0x258b9f04'],
  ['FeedSignatureVerifier__InvalidSignature()', '0x1d84733b'],
  ['FeedSignatureVerifier__InvalidMaturityTimestamp(uint128)', '0x3995810a'],
  ['ReserveStabilityPool__InvalidCoupon()', '0x205d0928'],
  ['ReserveStabilityPool__InvalidMaturity()', '0xf5dbd880'],
  ['ReserveStabilityPool__InsufficientPrincipal()', '0xd7ebd839'],
  ['ReserveStabilityPool__PartnerFeeChanged()', '0xfd367910'],
  ['EnforcedPause()', '0xd93c0665'],
  ['ReserveStabilityPool__MaturityNotPassed()', '0x34f7b2e6'],
  ['ReserveStabilityPool__MaturityPassed()', '0x3cab3190'],
  ['ReserveStabilityPool__NotTokenOwner()', '0x27bfdaa9'],
  ['ReserveStabilityPool__TokenNotApproved()', '0x39a6b774'],
  ['ReserveStabilityPool__TokenAlreadyApproved()', '0x9681ebdf'],
  ['ReserveStabilityPool__InsufficientAllowance()', '0xb4914f03'],
  ['ReserveStabilityPool__FloatingIncomeNotSynced()', '0x8e9120ba'],
  ['ReserveStabilityPool__ArrayLengthMismatch()', '0xbcbd3517'],
  ['ReserveStabilityPool__IncorrectAmount()', '0x5a86bed1'],
  ['ReserveStabilityPool__ZeroAddress()', '0xf0c6e67f'],
  ['ReserveStabilityPool__ZeroAmount()', '0xa6a31837'],
  ['ReserveStabilityPool__TransferFromFailed()', '0x04a8ade9'],
  ['ReserveStabilityPool__ClaimMintFailed()', '0x8bb81dfa'],
  ['FeedSignatureVerifier__ExpiredSignature()', '0x0fc1158f'],
  ['PartnerFeeManager__PartnerIdNotExists(bytes32)', '0x73264af8'],
  ['NonFungibleNotePosition__Denylisted(address)', '0xc3951bc8'],
  ['NonFungibleNotePosition__TokenNotApproved()', '0x73d6578d'],
  ['ParabolUSD__Denylisted(address)', '0xd7797d82'],
  ['ParabolUSD__InsufficientBalance()', '0x2240b374'],
  ['ParabolUSD__InvalidAmount()', '0xd44afb32'],
  ['ERC721Permit__DeadlineExpired()', '0x125c3844'],
  ['ERC721Permit__InvalidSignature()', '0x32864f01'],
  ['ERC721Permit__InvalidSigner(address,address)', '0xa93da5ab'],
  ['ERC721Permit__TokenIdDoesNotExist()', '0x7edd5290'],
  ['ERC721Permit__Unauthorized()', '0xbef30d6b'],
  ['ERC20Base__InvalidSigner(address,address)', '0xaf3f070e'],
  ['ERC20Base__InvalidSignature()', '0x50239849'],
  ['ERC20InsufficientAllowance(address,uint256,uint256)', '0xfb8f41b2'],
  ['ERC20InsufficientBalance(address,uint256,uint256)', '0xe450d38c'],
  ['ERC721NonexistentToken(uint256)', '0x7e273289'],
  ['ERC721InsufficientApproval(address,uint256)', '0x177e802f'],
  ['ERC721IncorrectOwner(address,uint256,address)', '0x64283d7b'],
  ['ERC2612ExpiredSignature(uint256)', '0x62791302'],
  ['ERC2612InvalidSigner(address,address)', '0x4b800e46'],
  ['PartnerFeeManager__InvalidFee()', '0xcfb3ace6'],
  ['PartnerFeeManager__NotPartnerOwner()', '0x10387da2'],
  ['PartnerFeeManager__SameFee()', '0xb2ef8c0b'],
  ['PartnerFeeManager__SameVaultAddress()', '0x5926e7ea'],
  ['PartnerFeeManager__SameOwner()', '0x005ab9df'],
  ['ReserveStabilityPool__DailyFloatingIncomeAlreadyUpdated()', '0xd0b56c62'],
  ['ReserveStabilityPool__PreviousDayNotUpdated()', '0xa67e45a6'],
  ['ReserveStabilityPool__UpdateDayIsNotValid(uint256)', '0xe8c0f3fa'],
  ['AccessControlUnauthorizedAccount(address,bytes32)', '0xe2517d3f'],
  ['ERC721InvalidReceiver(address)', '0x64a0ae92'],
  ['PartnerFeeManager__ZeroAddress()', '0xe32f878e'],
  ['ReserveStabilityPool__InvalidInputParameter()', '0x2344e08e'],
] as const
type AbiError = Extract<Abi[number], { readonly type: 'error' }>
const nameOf = (signature: string) => signature.replace(/\(.*/, '')
const sampleOf = { address: `0x${'0a'.repeat(20)}` as const, bytes32: `0x${'0b'.repeat(32)}`, uint128: 7n, uint256: 8n }
// `retryable`: the same call can succeed later, without another action of the caller.
const retryable = [
  'FeedSignatureVerifier__FeedNotYetValid',
  'ReserveStabilityPool__MaturityNotPassed',
  'ReserveStabilityPool__FloatingIncomeNotSynced',
  'ParabolUSD__InvalidAmount',
  'EnforcedPause',
]

describe('explainRevert', () => {
  test('default: explains exactly the published errors', () => {
    expect(revertAbi.map(({ name }) => name).sort()).toEqual(published.map(([signature]) => nameOf(signature)).sort())
  })

  test.each(published)('default: %s, by its selector, its data and an error of viem', (signature, selector) => {
    const error = parseAbiItem(`error ${signature}` as string) as AbiError
    const args = error.inputs.map(({ type }) => sampleOf[type as keyof typeof sampleOf])
    const data = encodeErrorResult({ abi: [error], args })
    expect(data.slice(0, 10)).toBe(selector)

    const name = nameOf(signature)
    const bare = explainRevert(selector)
    expect(bare).toMatchObject({ name, retryable: retryable.includes(name), args: [] })
    expect(bare?.title).toMatch(/^The \S.*[^.]$/)
    expect(bare?.message).toMatch(/^[A-Z].*\.$/)
    const whole = explainRevert(data)
    expect(whole).toMatchObject({ name, title: bare?.title, args: args.map(checksummed) })
    for (const abi of [[error], []]) {
      const cause = new ContractFunctionRevertedError({ abi, data, functionName: 'lend' })
      expect(explainRevert(new BaseError('Execution failed', { cause }))).toEqual(whole)
    }
  })

  describe.each(['0xc3951bc8', '0xd7797d82'])('the denylist, %s', (selector) => {
    const account = getAddress(sampleOf.address)
    const data = `${selector}${account.slice(2).padStart(64, '0')}`
    const other = `0x${'0c'.repeat(20)}` as const
    const parties = { sender: other, beneficiary: other, pool: other }
    const approvedBefore =
      'It can neither lend nor receive. A position that it approved for the pool before it was listed can still be claimed to another beneficiary.'

    test('behavior: names the account, what it can still do, and whose it may be', () => {
      expect(explainRevert(data)?.message).toBe(
        `The account ${account} is on the protocol’s denylist. ${approvedBefore} If it is neither the sender nor the beneficiary, it is the vault of the position’s partner, and the partner’s owner must set another vault. Contact the operator.`,
      )
      // A cut argument is not an account.
      for (const cut of [selector, data.slice(0, -2)]) {
        expect(explainRevert(cut)).toMatchObject({
          message: expect.stringMatching(
            /^The sender, the receiver or the vault .* is on the protocol’s denylist\. It can/,
          ),
          args: [],
        })
      }
    })

    test('behavior: with the accounts of the transaction, says whose it is', () => {
      const listed = account.toLowerCase() as `0x${string}`
      expect(explainRevert(data, { ...parties, sender: listed, beneficiary: listed })?.message).toBe(
        `Your account ${account} is on the protocol’s denylist. ${approvedBefore} Contact the operator.`,
      )
      expect(explainRevert(data, { ...parties, beneficiary: listed })?.message).toContain('Choose another beneficiary.')
      const vault = explainRevert(data, parties)
      expect(vault).toMatchObject({ title: 'The partner’s vault is on the denylist', retryable: true })
      expect(vault?.message).toContain(`The vault ${account} of the position’s partner`)
      expect(vault?.message).not.toMatch(/another account|another beneficiary|your account/i)
      expect(explainRevert(data, { ...parties, pool: listed })?.title).toBe('The account is on the denylist')
    })
  })

  test('behavior: a missing role of the sender is told from one of the protocol’s contracts', () => {
    const [account, role] = [getAddress(sampleOf.address), sampleOf.bytes32]
    const data = `0xe2517d3f${account.slice(2).padStart(64, '0')}${role.slice(2)}`
    const parties = { sender: account, beneficiary: account, pool: account }
    const own = explainRevert(data, parties)
    expect(own?.message).toBe(
      `The account ${account} lacks the role ${role}. Only an account with this role can do this.`,
    )
    const contract = explainRevert(data, { ...parties, sender: `0x${'0c'.repeat(20)}` })
    expect(contract).toMatchObject({ retryable: true, message: expect.stringContaining('Contact the operator') })
  })

  test('behavior: a pause can be that of the pool, the position token or the dollar', () => {
    expect(explainRevert('0xd93c0665')?.message).toContain('The pool, the position token or the dollar is paused.')
  })

  const data = encodeErrorResult({
    abi: revertAbi,
    errorName: 'FeedSignatureVerifier__FeedExpired',
    args: [1737586800n],
  })
  const viemError = new BaseError('Execution failed', {
    cause: new ContractFunctionRevertedError({ abi: revertAbi, data, functionName: 'lend' }),
  })
  const circular = Object.assign(new Error('loop'), { cause: undefined as unknown, data: { originalError: { data } } })
  circular.cause = circular

  test.each([
    ['revert data', data],
    ['revert data in capitals', data.toUpperCase().replace('0X', '0x')],
    ['what viem throws', viemError],
    [
      'what viem throws where it does not know the error',
      new BaseError('x', { cause: new ContractFunctionRevertedError({ abi: [], data, functionName: 'lend' }) }),
    ],
    ['an answer of a node', { code: 3, message: 'execution reverted', data }],
    ['what ethers throws', Object.assign(new Error('call failed'), { info: { error: { data } } })],
    ['an error that holds itself', circular],
    ['a text that holds the data', new Error(`execution reverted: custom error ${data}`)],
  ])('behavior: explains %s', (_, error) => {
    expect(explainRevert(error)).toMatchObject({ title: 'The note has expired', args: [1737586800n] })
  })

  test.each([
    ['nothing', undefined],
    ['another error', new Error('no network')],
    ['another revert', '0x08c379a0'],
    ['an unknown selector', '0xdeadbeef'],
    ['an address', '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'],
    ['a member of every object', { errorName: 'toString' }],
  ])('behavior: returns undefined for %s', (_, error) => {
    expect(explainRevert(error)).toBeUndefined()
  })
})

/** viem returns addresses with a checksum. */
function checksummed(value: unknown): unknown {
  return typeof value === 'string' && value.length === 42 ? getAddress(value) : value
}
