// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Errors of the deployed contracts. Ours do not throw all of them, but users of the deployed ones meet them, so the
// generated ABI has them all. Parameter names are ours: only types are public.

interface PoolErrors {
    error FeedSignatureVerifier__ExpiredSignature();
    error FeedSignatureVerifier__FeedExpired(uint128 validBefore);
    error FeedSignatureVerifier__FeedNotYetValid(uint128 validAfter);
    error FeedSignatureVerifier__InvalidMaturityTimestamp(uint128 maturityTimestamp);
    error FeedSignatureVerifier__InvalidSignature();
    error FeedSignatureVerifier__InvalidSigner(address signer, address expectedSigner);

    error ReserveStabilityPool__ArrayLengthMismatch();
    error ReserveStabilityPool__ClaimMintFailed();
    error ReserveStabilityPool__DailyFloatingIncomeAlreadyUpdated();
    error ReserveStabilityPool__FloatingIncomeNotSynced();
    error ReserveStabilityPool__IncorrectAmount();
    error ReserveStabilityPool__InsufficientAllowance();
    error ReserveStabilityPool__InsufficientPrincipal();
    error ReserveStabilityPool__InvalidCoupon();
    error ReserveStabilityPool__InvalidInputParameter();
    error ReserveStabilityPool__InvalidMaturity();
    error ReserveStabilityPool__MaturityNotPassed();
    error ReserveStabilityPool__MaturityPassed();
    error ReserveStabilityPool__NotTokenOwner();
    error ReserveStabilityPool__PartnerFeeChanged();
    error ReserveStabilityPool__PreviousDayNotUpdated();
    error ReserveStabilityPool__TokenAlreadyApproved();
    error ReserveStabilityPool__TokenNotApproved();
    error ReserveStabilityPool__TransferFromFailed();
    error ReserveStabilityPool__UpdateDayIsNotValid(uint256 day);
    error ReserveStabilityPool__ZeroAddress();
    error ReserveStabilityPool__ZeroAmount();

    error PartnerFeeManager__InvalidFee();
    error PartnerFeeManager__NotPartnerOwner();
    error PartnerFeeManager__PartnerIdNotExists(bytes32 partnerId);
    error PartnerFeeManager__SameFee();
    error PartnerFeeManager__SameOwner();
    error PartnerFeeManager__SameVaultAddress();
    error PartnerFeeManager__ZeroAddress();
}

interface PositionTokenErrors {
    error NonFungibleNotePosition__Denylisted(address account);
    error NonFungibleNotePosition__TokenNotApproved();

    error ERC721Permit__DeadlineExpired();
    error ERC721Permit__InvalidSignature();
    error ERC721Permit__InvalidSigner(address signer, address expectedSigner);
    error ERC721Permit__TokenIdDoesNotExist();
    error ERC721Permit__Unauthorized();
}

interface DollarTokenErrors {
    error ParabolUSD__Denylisted(address account);
    error ParabolUSD__InsufficientBalance();
    error ParabolUSD__InvalidAmount();

    error ERC20Base__InvalidSignature();
    error ERC20Base__InvalidSigner(address signer, address expectedSigner);
    error ERC2612ExpiredSignature(uint256 deadline);
    error ERC2612InvalidSigner(address signer, address owner);
}
