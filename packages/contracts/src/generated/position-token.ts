// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const Approval = {"type":"event","name":"Approval","inputs":[{"name":"owner","type":"address","indexed":true},{"name":"approved","type":"address","indexed":true},{"name":"tokenId","type":"uint256","indexed":true}]} as const
export const ApprovalForAll = {"type":"event","name":"ApprovalForAll","inputs":[{"name":"owner","type":"address","indexed":true},{"name":"operator","type":"address","indexed":true},{"name":"approved","type":"bool","indexed":false}]} as const
export const Paused = {"type":"event","name":"Paused","inputs":[{"name":"account","type":"address","indexed":false}]} as const
export const RoleAdminChanged = {"type":"event","name":"RoleAdminChanged","inputs":[{"name":"role","type":"bytes32","indexed":true},{"name":"previousAdminRole","type":"bytes32","indexed":true},{"name":"newAdminRole","type":"bytes32","indexed":true}]} as const
export const RoleGranted = {"type":"event","name":"RoleGranted","inputs":[{"name":"role","type":"bytes32","indexed":true},{"name":"account","type":"address","indexed":true},{"name":"sender","type":"address","indexed":true}]} as const
export const RoleRevoked = {"type":"event","name":"RoleRevoked","inputs":[{"name":"role","type":"bytes32","indexed":true},{"name":"account","type":"address","indexed":true},{"name":"sender","type":"address","indexed":true}]} as const
export const Transfer = {"type":"event","name":"Transfer","inputs":[{"name":"from","type":"address","indexed":true},{"name":"to","type":"address","indexed":true},{"name":"tokenId","type":"uint256","indexed":true}]} as const
export const Unpaused = {"type":"event","name":"Unpaused","inputs":[{"name":"account","type":"address","indexed":false}]} as const

export const events = [Approval, ApprovalForAll, Paused, RoleAdminChanged, RoleGranted, RoleRevoked, Transfer, Unpaused] as const

export const functions = [
  {"type":"function","name":"DEFAULT_ADMIN_ROLE","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"DOMAIN_SEPARATOR","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"PAUSER_ROLE","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"POOL_ROLE","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"approve","stateMutability":"nonpayable","inputs":[{"name":"to","type":"address"},{"name":"tokenId","type":"uint256"}],"outputs":[]},
  {"type":"function","name":"balanceOf","stateMutability":"view","inputs":[{"name":"owner","type":"address"}],"outputs":[{"name":"","type":"uint256"}]},
  {"type":"function","name":"burn","stateMutability":"nonpayable","inputs":[{"name":"tokenId","type":"uint256"}],"outputs":[]},
  {"type":"function","name":"denylister","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"address"}]},
  {"type":"function","name":"getApproved","stateMutability":"view","inputs":[{"name":"tokenId","type":"uint256"}],"outputs":[{"name":"","type":"address"}]},
  {"type":"function","name":"getLendInfo","stateMutability":"view","inputs":[{"name":"tokenId","type":"uint256"}],"outputs":[{"name":"","type":"tuple","components":[{"name":"lendTimestamp","type":"uint128"},{"name":"maturityTimestamp","type":"uint128"},{"name":"coupon","type":"uint256"},{"name":"principal","type":"uint256"},{"name":"partnerFeeBPS","type":"uint256"},{"name":"partnerId","type":"bytes32"}]}]},
  {"type":"function","name":"getRoleAdmin","stateMutability":"view","inputs":[{"name":"role","type":"bytes32"}],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"grantRole","stateMutability":"nonpayable","inputs":[{"name":"role","type":"bytes32"},{"name":"account","type":"address"}],"outputs":[]},
  {"type":"function","name":"hasRole","stateMutability":"view","inputs":[{"name":"role","type":"bytes32"},{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}]},
  {"type":"function","name":"isApprovedForAll","stateMutability":"view","inputs":[{"name":"owner","type":"address"},{"name":"operator","type":"address"}],"outputs":[{"name":"","type":"bool"}]},
  {"type":"function","name":"mint","stateMutability":"nonpayable","inputs":[{"name":"to","type":"address"},{"name":"info","type":"tuple","components":[{"name":"lendTimestamp","type":"uint128"},{"name":"maturityTimestamp","type":"uint128"},{"name":"coupon","type":"uint256"},{"name":"principal","type":"uint256"},{"name":"partnerFeeBPS","type":"uint256"},{"name":"partnerId","type":"bytes32"}]}],"outputs":[{"name":"tokenId","type":"uint256"}]},
  {"type":"function","name":"name","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"string"}]},
  {"type":"function","name":"nonces","stateMutability":"view","inputs":[{"name":"tokenId","type":"uint256"}],"outputs":[{"name":"","type":"uint256"}]},
  {"type":"function","name":"ownerOf","stateMutability":"view","inputs":[{"name":"tokenId","type":"uint256"}],"outputs":[{"name":"","type":"address"}]},
  {"type":"function","name":"pause","stateMutability":"nonpayable","inputs":[],"outputs":[]},
  {"type":"function","name":"paused","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bool"}]},
  {"type":"function","name":"permit","stateMutability":"nonpayable","inputs":[{"name":"spender","type":"address"},{"name":"tokenId","type":"uint256"},{"name":"deadline","type":"uint256"},{"name":"v","type":"uint8"},{"name":"r","type":"bytes32"},{"name":"s","type":"bytes32"}],"outputs":[]},
  {"type":"function","name":"renounceRole","stateMutability":"nonpayable","inputs":[{"name":"role","type":"bytes32"},{"name":"callerConfirmation","type":"address"}],"outputs":[]},
  {"type":"function","name":"revokeRole","stateMutability":"nonpayable","inputs":[{"name":"role","type":"bytes32"},{"name":"account","type":"address"}],"outputs":[]},
  {"type":"function","name":"safeTransferFrom","stateMutability":"nonpayable","inputs":[{"name":"from","type":"address"},{"name":"to","type":"address"},{"name":"tokenId","type":"uint256"}],"outputs":[]},
  {"type":"function","name":"safeTransferFrom","stateMutability":"nonpayable","inputs":[{"name":"from","type":"address"},{"name":"to","type":"address"},{"name":"tokenId","type":"uint256"},{"name":"data","type":"bytes"}],"outputs":[]},
  {"type":"function","name":"setApprovalForAll","stateMutability":"nonpayable","inputs":[{"name":"operator","type":"address"},{"name":"approved","type":"bool"}],"outputs":[]},
  {"type":"function","name":"setReserveStabilityPool","stateMutability":"nonpayable","inputs":[{"name":"pool","type":"address"}],"outputs":[]},
  {"type":"function","name":"supportsInterface","stateMutability":"view","inputs":[{"name":"id","type":"bytes4"}],"outputs":[{"name":"","type":"bool"}]},
  {"type":"function","name":"symbol","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"string"}]},
  {"type":"function","name":"tokenURI","stateMutability":"view","inputs":[{"name":"tokenId","type":"uint256"}],"outputs":[{"name":"","type":"string"}]},
  {"type":"function","name":"transferFrom","stateMutability":"nonpayable","inputs":[{"name":"from","type":"address"},{"name":"to","type":"address"},{"name":"tokenId","type":"uint256"}],"outputs":[]},
  {"type":"function","name":"unpause","stateMutability":"nonpayable","inputs":[],"outputs":[]},
  {"type":"function","name":"updateDenylister","stateMutability":"nonpayable","inputs":[{"name":"newDenylister","type":"address"}],"outputs":[]},
] as const
