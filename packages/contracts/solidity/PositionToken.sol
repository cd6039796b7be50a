// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Denylister} from "./Denylister.sol";
import {PositionTokenErrors} from "./Errors.sol";
import {TokenBase} from "./TokenBase.sol";

/// Position token: minted by a lend, burned by a claim, transferable, with permits.
contract PositionToken is ERC721, TokenBase, PositionTokenErrors {
    struct LendInfo {
        uint128 lendTimestamp;
        uint128 maturityTimestamp;
        uint256 coupon;
        uint256 principal;
        uint256 partnerFeeBPS;
        bytes32 partnerId;
    }

    bytes32 public constant POOL_ROLE = keccak256("POOL_ROLE");

    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)");

    mapping(uint256 tokenId => uint256) public nonces;
    mapping(uint256 tokenId => LendInfo) private _lendInfo;
    uint256 private _lastTokenId;
    // Without a getter: the deployed token has none.
    address private _pool;

    constructor(Denylister denylister_, address admin)
        ERC721("Tallystick Position", "tsPOS")
        TokenBase("Tallystick Position", denylister_, admin)
    {}

    /// Names the pool that mints and burns positions, in place of the one before.
    function setReserveStabilityPool(address pool) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _revokeRole(POOL_ROLE, _pool);
        _pool = pool;
        _grantRole(POOL_ROLE, pool);
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
        if (!_isAuthorized(_requireOwned(tokenId), msg.sender, tokenId)) {
            revert NonFungibleNotePosition__TokenNotApproved();
        }
        delete _lendInfo[tokenId];
        _burn(tokenId);
    }

    function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        if (block.timestamp > deadline) revert ERC721Permit__DeadlineExpired();
        address owner = _ownerOf(tokenId);
        if (owner == address(0)) revert ERC721Permit__TokenIdDoesNotExist();
        address signer =
            _recover(keccak256(abi.encode(PERMIT_TYPEHASH, spender, tokenId, nonces[tokenId]++, deadline)), v, r, s);
        if (signer == address(0)) revert ERC721Permit__InvalidSignature();
        if (signer != owner) revert ERC721Permit__InvalidSigner(signer, owner);
        _approve(spender, tokenId, owner);
    }

    function supportsInterface(bytes4 id) public view override(ERC721, AccessControl) returns (bool) {
        return super.supportsInterface(id);
    }

    function _approve(address to, uint256 tokenId, address auth, bool emitEvent) internal override whenNotPaused {
        _requireNotDenylisted(to);
        _requireNotDenylisted(auth);
        super._approve(to, tokenId, auth, emitEvent);
    }

    function _setApprovalForAll(address owner, address operator, bool approved) internal override whenNotPaused {
        _requireNotDenylisted(owner);
        _requireNotDenylisted(operator);
        super._setApprovalForAll(owner, operator, approved);
    }

    function _update(address to, uint256 tokenId, address auth) internal override whenNotPaused returns (address) {
        _requireNotDenylisted(to);
        _requireNotDenylisted(auth);
        // A listed owner can still claim to another account a position that it approved before.
        if (to != address(0)) _requireNotDenylisted(_ownerOf(tokenId));
        return super._update(to, tokenId, auth);
    }

    function _requireNotDenylisted(address account) private view {
        if (denylister.isDenylisted(account)) revert NonFungibleNotePosition__Denylisted(account);
    }
}
