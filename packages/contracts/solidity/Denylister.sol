// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";

/// Lists accounts that can neither lend nor receive. Both tokens ask it.
contract Denylister is AccessControl {
    event AddedToDenylist(address indexed account);
    event RemovedFromDenylist(address indexed account);

    mapping(address account => bool) public isDenylisted;

    constructor(address admin) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    function addToDenylist(address account) external onlyRole(DEFAULT_ADMIN_ROLE) {
        isDenylisted[account] = true;
        emit AddedToDenylist(account);
    }

    function removeFromDenylist(address account) external onlyRole(DEFAULT_ADMIN_ROLE) {
        isDenylisted[account] = false;
        emit RemovedFromDenylist(account);
    }
}
