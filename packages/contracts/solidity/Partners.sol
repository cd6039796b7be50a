// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Registers partners. A partner receives a share of the income of positions that name it.
abstract contract Partners {
    struct Partner {
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

    error Partners__NotPartnerOwner(bytes32 partnerId, address caller);
    error Partners__FeeTooHigh(uint256 feeBPS);
    error Partners__ZeroAddress();

    uint256 internal constant BPS = 10_000;

    mapping(bytes32 partnerId => Partner) public partners;
    mapping(address owner => uint256) public partnerNonces;

    modifier onlyPartnerOwner(bytes32 partnerId) {
        if (partners[partnerId].owner != msg.sender) revert Partners__NotPartnerOwner(partnerId, msg.sender);
        _;
    }

    function createPartner(address vault, uint256 feeBPS) external returns (bytes32 partnerId) {
        partnerId = keccak256(abi.encodePacked(msg.sender, partnerNonces[msg.sender]++));
        partners[partnerId] = Partner(msg.sender, _nonZero(vault), _validFee(feeBPS));
        emit PartnerCreated(partnerId, msg.sender, vault, feeBPS);
    }

    function transferPartnerOwnership(bytes32 partnerId, address newOwner) external onlyPartnerOwner(partnerId) {
        partners[partnerId].owner = _nonZero(newOwner);
        emit PartnerOwnershipTransferred(partnerId, newOwner);
    }

    function setPartnerVault(bytes32 partnerId, address newVault) external onlyPartnerOwner(partnerId) {
        partners[partnerId].vault = _nonZero(newVault);
        emit PartnerVaultChanged(partnerId, newVault);
    }

    function setPartnerFee(bytes32 partnerId, uint256 newFeeBPS) external onlyPartnerOwner(partnerId) {
        partners[partnerId].feeBPS = _validFee(newFeeBPS);
        emit PartnerFeeChanged(partnerId, newFeeBPS);
    }

    function _nonZero(address account) private pure returns (address) {
        if (account == address(0)) revert Partners__ZeroAddress();
        return account;
    }

    // A fee above 100 % would make positions impossible to claim.
    function _validFee(uint256 feeBPS) private pure returns (uint256) {
        if (feeBPS > BPS) revert Partners__FeeTooHigh(feeBPS);
        return feeBPS;
    }
}
