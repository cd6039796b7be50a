// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {Denylister} from "./Denylister.sol";

/// Base of both tokens: roles, a pause, a denylister, and an EIP-712 domain. Unlike OpenZeppelin's EIP712 it has no
/// `eip712Domain()`, because the deployed tokens have none.
abstract contract TokenBase is AccessControl, Pausable {
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    Denylister public denylister;
    bytes32 private immutable _nameHash;

    constructor(string memory name, Denylister denylister_, address admin) {
        denylister = denylister_;
        _nameHash = keccak256(bytes(name));
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(PAUSER_ROLE, admin);
    }

    /// Emits nothing: the deployed tokens have no known event for it.
    function updateDenylister(Denylister newDenylister) external onlyRole(DEFAULT_ADMIN_ROLE) {
        denylister = newDenylister;
    }

    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(PAUSER_ROLE) {
        _unpause();
    }

    // Name given by EIP-2612.
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, _nameHash, keccak256("1"), block.chainid, address(this)));
    }

    /// Returns zero for an invalid signature.
    function _recover(bytes32 structHash, uint8 v, bytes32 r, bytes32 s) internal view returns (address) {
        return ecrecover(MessageHashUtils.toTypedDataHash(DOMAIN_SEPARATOR(), structHash), v, r, s);
    }
}
