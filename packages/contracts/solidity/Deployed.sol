// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Functions and errors of the deployed contracts that the contracts in this folder lack. They are never compiled to
// bytecode. They exist so that the generated ABI covers both. Parameter names of errors are ours: only types are public.

interface DeployedPool {
    error FeedSignatureVerifier__ExpiredSignature();

    error ReserveStabilityPool__ArrayLengthMismatch();
    error ReserveStabilityPool__ClaimMintFailed();
    error ReserveStabilityPool__DailyFloatingIncomeAlreadyUpdated();
    error ReserveStabilityPool__FloatingIncomeNotSynced();
    error ReserveStabilityPool__IncorrectAmount();
    error ReserveStabilityPool__InsufficientAllowance();
    error ReserveStabilityPool__MaturityNotPassed();
    error ReserveStabilityPool__MaturityPassed();
    error ReserveStabilityPool__NotTokenOwner();
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

    function nonFungibleNotePosition() external view returns (address);

    // solhint-disable-next-line func-name-mixedcase
    function paraUSD() external view returns (address);
}

interface DeployedPositionToken {
    error NonFungibleNotePosition__Denylisted(address account);
    error NonFungibleNotePosition__TokenNotApproved();

    error ERC721Permit__DeadlineExpired();
    error ERC721Permit__InvalidSignature();
    error ERC721Permit__InvalidSigner(address signer, address expectedSigner);
    error ERC721Permit__TokenIdDoesNotExist();
    error ERC721Permit__Unauthorized();

    function paused() external view returns (bool);
}

interface DeployedDollarToken {
    error ParabolUSD__Denylisted(address account);
    error ParabolUSD__InsufficientBalance();

    error ERC20Base__InvalidSignature();
    error ERC20Base__InvalidSigner(address signer, address expectedSigner);

    function paused() external view returns (bool);
}
