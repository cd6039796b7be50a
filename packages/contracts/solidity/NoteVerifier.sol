// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {PoolErrors} from "./Errors.sol";

/// Accepts a note only from the registered signer and only inside its validity window.
abstract contract NoteVerifier is EIP712, PoolErrors {
    struct PriceFeed {
        uint128 maturityTimestamp;
        uint256 coupon;
        uint128 validAfter;
        uint128 validBefore;
    }

    struct Signature {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    event FeedSignatureVerifier__SignerChanged(address indexed signer);


    bytes32 private constant FEED_TYPEHASH = keccak256(
        "PriceFeed(uint128 maturityTimestamp,uint256 coupon,uint128 validAfter,uint128 validBefore)"
    );

    // Without a getter: the deployed pool has none. A revert of `validatePriceFeed` names it.
    address private _signer;

    constructor(address signer) EIP712("NoteSignatureVerifier", "1") {
        _signer = _nonZeroSigner(signer);
    }

    // Name given by EIP-2612.
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// Reverts with the reason why `feed` would be rejected now.
    function validatePriceFeed(PriceFeed calldata feed, Signature calldata signature) public view {
        if (block.timestamp <= feed.validAfter) revert FeedSignatureVerifier__FeedNotYetValid(feed.validAfter);
        if (block.timestamp >= feed.validBefore) revert FeedSignatureVerifier__FeedExpired(feed.validBefore);
        if (block.timestamp >= feed.maturityTimestamp) {
            revert FeedSignatureVerifier__InvalidMaturityTimestamp(feed.maturityTimestamp);
        }
        // ecrecover accepts both values of s. A note may be used any number of times, so a second signature of the same
        // note has no effect. ecrecover returns zero unless v is 27 or 28.
        address signer = ecrecover(_hashFeed(feed), signature.v, signature.r, signature.s);
        if (signer == address(0)) revert FeedSignatureVerifier__InvalidSignature();
        if (signer != _signer) revert FeedSignatureVerifier__InvalidSigner(signer, _signer);
    }

    function _setVerifierSigner(address signer) internal {
        _signer = _nonZeroSigner(signer);
        emit FeedSignatureVerifier__SignerChanged(signer);
    }

    // ecrecover returns zero for an invalid signature.
    function _nonZeroSigner(address signer) private pure returns (address) {
        if (signer == address(0)) revert ReserveStabilityPool__ZeroAddress();
        return signer;
    }

    function _hashFeed(PriceFeed calldata feed) private view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(FEED_TYPEHASH, feed.maturityTimestamp, feed.coupon, feed.validAfter, feed.validBefore)
            )
        );
    }
}
