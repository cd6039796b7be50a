// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Denylister} from "./Denylister.sol";
import {DollarTokenErrors} from "./Errors.sol";
import {TokenBase} from "./TokenBase.sol";

/// Dollar token with 18 decimals, EIP-2612 permits and EIP-3009 authorizations.
contract DollarToken is ERC20, TokenBase, DollarTokenErrors {
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// Most that one call can mint.
    uint256 public maxMintLimit = 100_000e18;
    mapping(address owner => uint256) public nonces;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor(Denylister denylister_, address admin)
        ERC20("Tallystick Dollar", "tsUSD")
        TokenBase("Tallystick Dollar", denylister_, admin)
    {
        _grantRole(MINTER_ROLE, admin);
    }

    function updateMaxMintLimit(uint256 newLimit) external onlyRole(DEFAULT_ADMIN_ROLE) {
        maxMintLimit = newLimit;
    }

    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        if (amount == 0 || amount > maxMintLimit) revert ParabolUSD__InvalidAmount();
        _mint(to, amount);
    }

    /// Checks the denylist before the allowance.
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _requireNotDenylisted(from);
        return super.transferFrom(from, to, value);
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        if (block.timestamp > deadline) revert ERC2612ExpiredSignature(deadline);
        _requireSigner(owner, keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline)), v, r, s);
        _approve(owner, spender, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _useAuthorization(from, nonce, validAfter, validBefore);
        _requireSigner(
            from, keccak256(abi.encode(TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce)), v, r, s
        );
        _transfer(from, to, value);
    }

    /// Like `transferWithAuthorization`, for the receiver only.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (to != msg.sender) revert ERC20Base__InvalidSigner(msg.sender, to);
        _useAuthorization(from, nonce, validAfter, validBefore);
        _requireSigner(
            from, keccak256(abi.encode(RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce)), v, r, s
        );
        _transfer(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        if (authorizationState[authorizer][nonce]) revert ERC20Base__InvalidSignature();
        _requireSigner(authorizer, keccak256(abi.encode(CANCEL_TYPEHASH, authorizer, nonce)), v, r, s);
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _useAuthorization(address authorizer, bytes32 nonce, uint256 validAfter, uint256 validBefore) private {
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) {
            revert ERC2612ExpiredSignature(validBefore);
        }
        if (authorizationState[authorizer][nonce]) revert ERC20Base__InvalidSignature();
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationUsed(authorizer, nonce);
    }

    function _requireSigner(address expected, bytes32 structHash, uint8 v, bytes32 r, bytes32 s) private view {
        address signer = _recover(structHash, v, r, s);
        if (signer == address(0)) revert ERC20Base__InvalidSignature();
        if (signer != expected) revert ERC20Base__InvalidSigner(signer, expected);
    }

    function _approve(address owner, address spender, uint256 value, bool emitEvent) internal override whenNotPaused {
        _requireNotDenylisted(owner);
        _requireNotDenylisted(spender);
        super._approve(owner, spender, value, emitEvent);
    }

    function _update(address from, address to, uint256 value) internal override whenNotPaused {
        _requireNotDenylisted(msg.sender);
        _requireNotDenylisted(from);
        _requireNotDenylisted(to);
        super._update(from, to, value);
    }

    function _requireNotDenylisted(address account) private view {
        if (denylister.isDenylisted(account)) revert ParabolUSD__Denylisted(account);
    }
}
