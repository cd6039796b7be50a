// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// Accepts a note only from the registered signer and only inside its validity window.
abstract contract NoteVerifier is EIP712 {
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

    error FeedSignatureVerifier__FeedNotYetValid(uint128 validAfter);
    error FeedSignatureVerifier__FeedExpired(uint128 validBefore);
    error FeedSignatureVerifier__InvalidMaturityTimestamp(uint128 maturityTimestamp);
    error FeedSignatureVerifier__InvalidSignature();
    error FeedSignatureVerifier__InvalidSigner(address signer, address expectedSigner);
    error FeedSignatureVerifier__ZeroAddress();

    bytes32 private constant FEED_TYPEHASH = keccak256(
        "PriceFeed(uint128 maturityTimestamp,uint256 coupon,uint128 validAfter,uint128 validBefore)"
    );

    address public verifierSigner;

    constructor(address signer) EIP712("NoteSignatureVerifier", "1") {
        _setVerifierSigner(signer);
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
        if (signer != verifierSigner) revert FeedSignatureVerifier__InvalidSigner(signer, verifierSigner);
    }

    function _setVerifierSigner(address signer) internal {
        // ecrecover returns zero for an invalid signature.
        if (signer == address(0)) revert FeedSignatureVerifier__ZeroAddress();
        verifierSigner = signer;
        emit FeedSignatureVerifier__SignerChanged(signer);
    }

    function _hashFeed(PriceFeed calldata feed) private view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(FEED_TYPEHASH, feed.maturityTimestamp, feed.coupon, feed.validAfter, feed.validBefore)
            )
        );
    }
}
