// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PoolErrors} from "./Errors.sol";

/// Registers partners. A partner receives a share of the income of positions that name it.
abstract contract Partners is PoolErrors {
    struct PartnerInfo {
        bool exists;
        address owner;
        address vault;
        uint256 feeBPS;
    }

    event PartnerCreated(
        bytes32 partnerId, address indexed partnerOwner, address indexed partnerVault, uint256 partnerFeeBPS
    );
    event PartnerOwnershipTransferred(bytes32 partnerId, address indexed newOwner);
    event PartnerVaultChanged(bytes32 partnerId, address indexed newVault);
    event PartnerFeeChanged(bytes32 partnerId, uint256 newFeeBPS);

    uint256 internal constant BPS = 10_000;

    mapping(bytes32 partnerId => PartnerInfo) private _partners;
    mapping(address owner => uint256) private _nonces;

    function createPartner(address vault, uint256 feeBPS) external returns (bytes32 partnerId) {
        partnerId = getPartnerIdByNonce(msg.sender, _nonces[msg.sender]++);
        _partners[partnerId] = PartnerInfo(true, msg.sender, _nonZero(vault), _validFee(feeBPS));
        emit PartnerCreated(partnerId, msg.sender, vault, feeBPS);
    }

    function transferPartnerOwnership(bytes32 partnerId, address newOwner) external {
        PartnerInfo storage partner = _ownPartner(partnerId);
        if (partner.owner == newOwner) revert PartnerFeeManager__SameOwner();
        partner.owner = _nonZero(newOwner);
        emit PartnerOwnershipTransferred(partnerId, newOwner);
    }

    function setPartnerVault(bytes32 partnerId, address newVault) external {
        PartnerInfo storage partner = _ownPartner(partnerId);
        if (partner.vault == newVault) revert PartnerFeeManager__SameVaultAddress();
        partner.vault = _nonZero(newVault);
        emit PartnerVaultChanged(partnerId, newVault);
    }

    function setPartnerFee(bytes32 partnerId, uint256 newFeeBPS) external {
        PartnerInfo storage partner = _ownPartner(partnerId);
        if (partner.feeBPS == newFeeBPS) revert PartnerFeeManager__SameFee();
        partner.feeBPS = _validFee(newFeeBPS);
        emit PartnerFeeChanged(partnerId, newFeeBPS);
    }

    /// Returns an empty partner for id 0, which means none. Reverts if the id is unknown.
    function getPartnerInfoById(bytes32 partnerId) public view returns (PartnerInfo memory partner) {
        partner = _partners[partnerId];
        if (partnerId != 0 && !partner.exists) revert PartnerFeeManager__PartnerIdNotExists(partnerId);
    }

    function getPartnerInfoByOwner(address owner, uint256 nonce) external view returns (PartnerInfo memory) {
        return getPartnerInfoById(getPartnerIdByNonce(owner, nonce));
    }

    function getPartnerIdByNonce(address owner, uint256 nonce) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(owner, nonce));
    }

    function getPartnerNonce(address owner) external view returns (uint256) {
        return _nonces[owner];
    }

    function _ownPartner(bytes32 partnerId) private view returns (PartnerInfo storage partner) {
        partner = _partners[partnerId];
        if (partner.owner != msg.sender) revert PartnerFeeManager__NotPartnerOwner();
    }

    function _nonZero(address account) private pure returns (address) {
        if (account == address(0)) revert PartnerFeeManager__ZeroAddress();
        return account;
    }

    // A fee above 100 % would make positions impossible to claim.
    function _validFee(uint256 feeBPS) private pure returns (uint256) {
        if (feeBPS > BPS) revert PartnerFeeManager__InvalidFee();
        return feeBPS;
    }
}
