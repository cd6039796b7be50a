// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {DollarToken} from "./DollarToken.sol";
import {FloatingIncome} from "./FloatingIncome.sol";
import {NoteVerifier} from "./NoteVerifier.sol";
import {Partners} from "./Partners.sol";
import {PositionToken} from "./PositionToken.sol";

/// Accepts dollars for a signed note and pays them back at maturity with fixed and floating income.
contract Pool is NoteVerifier, Partners, FloatingIncome, Pausable, AccessControl {
    using SafeERC20 for DollarToken;

    struct LendParams {
        address beneficiary;
        bytes32 partnerId;
        uint256 partnerFeeBPS;
        uint256 principal;
    }

    event Lend(
        address indexed initiator,
        address indexed beneficiary,
        uint256 tokenId,
        uint128 maturityTimestamp,
        uint256 coupon,
        uint256 principal,
        bytes32 partnerId,
        uint256 partnerFeeBPS
    );
    event Claim(
        address indexed initiator,
        address indexed beneficiary,
        uint256 tokenId,
        uint128 maturityTimestamp,
        uint256 coupon,
        uint256 principal,
        uint256 totalIncome,
        uint256 fee,
        bytes32 partnerId
    );
    event MinLendLimitUpdated(uint256 minLendLimit);
    event MaxCouponLimitUpdated(uint256 maxCouponLimit);
    event MinMaturityLimitUpdated(uint256 minMaturityLimit);

    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    bytes32 public constant FLOATING_INCOME_ROLE = keccak256("FLOATING_INCOME_ROLE");

    uint256 private constant YEAR = 360 days;

    DollarToken public immutable paraUSD;
    PositionToken public immutable nonFungibleNotePosition;

    uint256 public minLendLimit;
    // Without getters: the deployed pool has none. Its events name them.
    uint256 private _maxCouponLimit;
    uint256 private _minMaturityLimit;

    constructor(DollarToken dollars, PositionToken positionToken, address signer, address admin) NoteVerifier(signer) {
        paraUSD = dollars;
        nonFungibleNotePosition = positionToken;
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(PAUSER_ROLE, admin);
        _grantRole(FLOATING_INCOME_ROLE, admin);
        _setMinLendLimit(1000e18);
        _setMaxCouponLimit(1000);
        _setMinMaturityLimit(2 days);
    }

    function lend(LendParams calldata params, PriceFeed calldata feed, Signature calldata feedSignature) external {
        _lend(params, feed, feedSignature);
    }

    function permitLend(
        LendParams calldata params,
        PriceFeed calldata feed,
        Signature calldata feedSignature,
        Signature calldata permitSignature,
        uint256 permitDeadline
    ) external {
        (uint8 v, bytes32 r, bytes32 s) = (permitSignature.v, permitSignature.r, permitSignature.s);
        // A permit that somebody else has sent before fails here, but has set the allowance.
        try paraUSD.permit(msg.sender, address(this), params.principal, permitDeadline, v, r, s) {} catch {}
        _lend(params, feed, feedSignature);
    }

    function claim(address beneficiary, uint256 tokenId)
        external
        returns (uint256 principal, uint256 userIncome, uint256 fee)
    {
        return _claim(beneficiary, tokenId);
    }

    function permitClaim(
        address beneficiary,
        uint256 tokenId,
        Signature calldata permitSignature,
        uint256 permitDeadline
    ) external returns (uint256 principal, uint256 userIncome, uint256 fee) {
        (uint8 v, bytes32 r, bytes32 s) = (permitSignature.v, permitSignature.r, permitSignature.s);
        try nonFungibleNotePosition.permit(address(this), tokenId, permitDeadline, v, r, s) {} catch {}
        return _claim(beneficiary, tokenId);
    }

    function batchClaim(address[] calldata beneficiaries, uint256[] calldata tokenIds) external {
        if (beneficiaries.length != tokenIds.length) revert ReserveStabilityPool__ArrayLengthMismatch();
        for (uint256 index = 0; index < tokenIds.length; ++index) {
            _claim(beneficiaries[index], tokenIds[index]);
        }
    }

    /// Returns the income accrued until now or maturity, whichever is earlier.
    function calculateFixedIncome(uint256 tokenId) external view whenNotPaused returns (uint256) {
        return _fixedIncomeOf(nonFungibleNotePosition.getLendInfo(tokenId));
    }

    /// Returns the income accrued until now or maturity, whichever is earlier, for the days with a known income.
    function calculateFloatingIncome(uint256 tokenId) external view whenNotPaused returns (uint256) {
        return _floatingIncomeOf(nonFungibleNotePosition.getLendInfo(tokenId));
    }

    function isMaturityPassed(uint256 tokenId) external view whenNotPaused returns (bool) {
        return _isMature(nonFungibleNotePosition.getLendInfo(tokenId));
    }

    function updateDailyFloatingIncome(uint256 income) external onlyRole(FLOATING_INCOME_ROLE) {
        _updateDaily(income);
    }

    function updatePreviousFloatingIncome(uint256 firstDay, uint256 dayCount, uint256[] calldata incomes)
        external
        onlyRole(FLOATING_INCOME_ROLE)
    {
        _updatePrevious(firstDay, dayCount, incomes);
    }

    function setMinLendLimit(uint256 newLimit) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setMinLendLimit(newLimit);
    }

    function setMaxCouponLimit(uint256 newLimit) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setMaxCouponLimit(newLimit);
    }

    function setMinMaturityLimit(uint256 newLimit) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setMinMaturityLimit(newLimit);
    }

    function setVerifierSigner(address signer) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setVerifierSigner(signer);
    }

    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(PAUSER_ROLE) {
        _unpause();
    }

    function _lend(LendParams calldata params, PriceFeed calldata feed, Signature calldata feedSignature)
        private
        whenNotPaused
    {
        validatePriceFeed(feed, feedSignature);
        _checkLimits(params, feed);
        paraUSD.safeTransferFrom(msg.sender, address(this), params.principal);
        uint256 tokenId = nonFungibleNotePosition.mint(
            params.beneficiary,
            PositionToken.LendInfo({
                lendTimestamp: uint128(block.timestamp),
                maturityTimestamp: feed.maturityTimestamp,
                coupon: feed.coupon,
                principal: params.principal,
                partnerFeeBPS: params.partnerFeeBPS,
                partnerId: params.partnerId
            })
        );
        emit Lend(
            msg.sender,
            params.beneficiary,
            tokenId,
            feed.maturityTimestamp,
            feed.coupon,
            params.principal,
            params.partnerId,
            params.partnerFeeBPS
        );
    }

    function _checkLimits(LendParams calldata params, PriceFeed calldata feed) private view {
        // The lender agreed to this fee, but the partner may have changed it.
        if (params.partnerFeeBPS != getPartnerInfoById(params.partnerId).feeBPS) {
            revert ReserveStabilityPool__PartnerFeeChanged();
        }
        if (feed.coupon == 0 || feed.coupon > _maxCouponLimit) revert ReserveStabilityPool__InvalidCoupon();
        if (feed.maturityTimestamp < block.timestamp + _minMaturityLimit) revert ReserveStabilityPool__InvalidMaturity();
        if (params.principal < minLendLimit) revert ReserveStabilityPool__InsufficientPrincipal();
    }

    // Only the owner may claim, even with a permit, because the permit does not contain the beneficiary.
    function _claim(address beneficiary, uint256 tokenId)
        private
        whenNotPaused
        returns (uint256 principal, uint256 userIncome, uint256 fee)
    {
        if (nonFungibleNotePosition.ownerOf(tokenId) != msg.sender) revert ReserveStabilityPool__NotTokenOwner();
        PositionToken.LendInfo memory info = nonFungibleNotePosition.getLendInfo(tokenId);
        if (!_isMature(info)) revert ReserveStabilityPool__MaturityNotPassed();
        uint256 totalIncome = _fixedIncomeOf(info) + _floatingIncomeOf(info);
        fee = totalIncome * info.partnerFeeBPS / BPS;
        (principal, userIncome) = (info.principal, totalIncome - fee);
        nonFungibleNotePosition.burn(tokenId);
        if (userIncome > 0) paraUSD.mint(beneficiary, userIncome);
        if (fee > 0) paraUSD.mint(getPartnerInfoById(info.partnerId).vault, fee);
        paraUSD.safeTransfer(beneficiary, principal);
        _emitClaim(beneficiary, tokenId, info, totalIncome, fee);
    }

    function _emitClaim(
        address beneficiary,
        uint256 tokenId,
        PositionToken.LendInfo memory info,
        uint256 totalIncome,
        uint256 fee
    ) private {
        emit Claim(
            msg.sender,
            beneficiary,
            tokenId,
            info.maturityTimestamp,
            info.coupon,
            info.principal,
            totalIncome,
            fee,
            info.partnerId
        );
    }

    function _fixedIncomeOf(PositionToken.LendInfo memory info) private view returns (uint256) {
        return info.principal * info.coupon * (_endOf(info) - info.lendTimestamp) / (BPS * YEAR);
    }

    function _floatingIncomeOf(PositionToken.LendInfo memory info) private view returns (uint256) {
        return _floatingIncome(info.lendTimestamp, _endOf(info), info.principal);
    }

    function _isMature(PositionToken.LendInfo memory info) private view returns (bool) {
        return block.timestamp >= info.maturityTimestamp;
    }

    function _endOf(PositionToken.LendInfo memory info) private view returns (uint256) {
        return Math.min(block.timestamp, info.maturityTimestamp);
    }

    function _setMinLendLimit(uint256 newLimit) private {
        if (newLimit == 0) revert ReserveStabilityPool__ZeroAmount();
        minLendLimit = newLimit;
        emit MinLendLimitUpdated(newLimit);
    }

    function _setMaxCouponLimit(uint256 newLimit) private {
        _maxCouponLimit = newLimit;
        emit MaxCouponLimitUpdated(newLimit);
    }

    function _setMinMaturityLimit(uint256 newLimit) private {
        _minMaturityLimit = newLimit;
        emit MinMaturityLimitUpdated(newLimit);
    }
}
