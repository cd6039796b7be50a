// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const AddedToDenylist = {"type":"event","name":"AddedToDenylist","inputs":[{"name":"account","type":"address","indexed":true}]} as const
export const RemovedFromDenylist = {"type":"event","name":"RemovedFromDenylist","inputs":[{"name":"account","type":"address","indexed":true}]} as const
export const RoleAdminChanged = {"type":"event","name":"RoleAdminChanged","inputs":[{"name":"role","type":"bytes32","indexed":true},{"name":"previousAdminRole","type":"bytes32","indexed":true},{"name":"newAdminRole","type":"bytes32","indexed":true}]} as const
export const RoleGranted = {"type":"event","name":"RoleGranted","inputs":[{"name":"role","type":"bytes32","indexed":true},{"name":"account","type":"address","indexed":true},{"name":"sender","type":"address","indexed":true}]} as const
export const RoleRevoked = {"type":"event","name":"RoleRevoked","inputs":[{"name":"role","type":"bytes32","indexed":true},{"name":"account","type":"address","indexed":true},{"name":"sender","type":"address","indexed":true}]} as const

export const events = [AddedToDenylist, RemovedFromDenylist, RoleAdminChanged, RoleGranted, RoleRevoked] as const

export const functions = [
  {"type":"function","name":"DEFAULT_ADMIN_ROLE","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"addToDenylist","stateMutability":"nonpayable","inputs":[{"name":"account","type":"address"}],"outputs":[]},
  {"type":"function","name":"getRoleAdmin","stateMutability":"view","inputs":[{"name":"role","type":"bytes32"}],"outputs":[{"name":"","type":"bytes32"}]},
  {"type":"function","name":"grantRole","stateMutability":"nonpayable","inputs":[{"name":"role","type":"bytes32"},{"name":"account","type":"address"}],"outputs":[]},
  {"type":"function","name":"hasRole","stateMutability":"view","inputs":[{"name":"role","type":"bytes32"},{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}]},
  {"type":"function","name":"isDenylisted","stateMutability":"view","inputs":[{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}]},
  {"type":"function","name":"removeFromDenylist","stateMutability":"nonpayable","inputs":[{"name":"account","type":"address"}],"outputs":[]},
  {"type":"function","name":"renounceRole","stateMutability":"nonpayable","inputs":[{"name":"role","type":"bytes32"},{"name":"callerConfirmation","type":"address"}],"outputs":[]},
  {"type":"function","name":"revokeRole","stateMutability":"nonpayable","inputs":[{"name":"role","type":"bytes32"},{"name":"account","type":"address"}],"outputs":[]},
  {"type":"function","name":"supportsInterface","stateMutability":"view","inputs":[{"name":"interfaceId","type":"bytes4"}],"outputs":[{"name":"","type":"bool"}]},
] as const
