// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// Position token: minted by a lend, burned by a claim, transferable, with ERC-4494 permits.
contract PositionToken is ERC721, EIP712, AccessControl {
    struct LendInfo {
        uint128 lendTimestamp;
        uint128 maturityTimestamp;
        uint256 coupon;
        uint256 principal;
        uint256 partnerFeeBPS;
        bytes32 partnerId;
    }

    error PositionToken__PermitExpired(uint256 deadline);
    error PositionToken__PermitNotByOwner(address signer, address owner);

    bytes32 public constant POOL_ROLE = keccak256("POOL_ROLE");
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)");

    mapping(uint256 tokenId => uint256) public nonces;
    mapping(uint256 tokenId => LendInfo) private _lendInfo;
    uint256 private _lastTokenId;

    constructor(address admin) ERC721("Tallystick Position", "tsPOS") EIP712("Tallystick Position", "1") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    // Name given by ERC-4494.
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function getLendInfo(uint256 tokenId) external view returns (LendInfo memory) {
        _requireOwned(tokenId);
        return _lendInfo[tokenId];
    }

    function mint(address to, LendInfo calldata info) external onlyRole(POOL_ROLE) returns (uint256 tokenId) {
        tokenId = ++_lastTokenId;
        _lendInfo[tokenId] = info;
        // Not _safeMint: the receiver's callback would run between the mint and the pool's event.
        _mint(to, tokenId);
    }

    /// Burns a position that its owner has approved to the pool.
    function burn(uint256 tokenId) external onlyRole(POOL_ROLE) {
        _update(address(0), tokenId, msg.sender);
        delete _lendInfo[tokenId];
    }

    function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        if (block.timestamp > deadline) revert PositionToken__PermitExpired(deadline);
        address owner = _requireOwned(tokenId);
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, spender, tokenId, nonces[tokenId]++, deadline));
        address signer = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        if (signer != owner) revert PositionToken__PermitNotByOwner(signer, owner);
        _approve(spender, tokenId, owner);
    }

    function supportsInterface(bytes4 id) public view override(ERC721, AccessControl) returns (bool) {
        return super.supportsInterface(id);
    }

    // A permit signed before a transfer must not become valid again when the position returns (ERC-4494).
    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        ++nonces[tokenId];
        return super._update(to, tokenId, auth);
    }
}
