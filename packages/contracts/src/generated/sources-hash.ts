// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const sourcesHash = '9aa4807ea21eb6f09dce2e305f6412aed738575f44b144f3855bbbe9a250b6aa'
