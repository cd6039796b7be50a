// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Wallet of several owners, for tests. Like a Safe it executes a batch of calls as one transaction, once enough owners have
/// confirmed it, and reverts as a whole. It has no key, and no callback for tokens that it receives.
contract OwnersWallet {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error TooFewConfirmations(uint256 confirmed);

    uint256 public immutable threshold;
    uint256 public nonce;
    address[] private _owners;
    mapping(bytes32 hash => mapping(address owner => bool)) private _hasConfirmed;

    constructor(address[] memory owners, uint256 threshold_) {
        _owners = owners;
        threshold = threshold_;
    }

    receive() external payable {}

    function hashOf(Call[] calldata calls, uint256 nonce_) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), nonce_, calls));
    }

    function confirm(bytes32 hash) external {
        _hasConfirmed[hash][msg.sender] = true;
    }

    function confirmationsOf(bytes32 hash) public view returns (uint256 count) {
        for (uint256 i = 0; i < _owners.length; i++) {
            if (_hasConfirmed[hash][_owners[i]]) count++;
        }
    }

    function execute(Call[] calldata calls) external {
        uint256 confirmed = confirmationsOf(hashOf(calls, nonce++));
        if (confirmed < threshold) revert TooFewConfirmations(confirmed);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool isDone, bytes memory data) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (isDone) continue;
            assembly {
                revert(add(data, 32), mload(data))
            }
        }
    }
}
