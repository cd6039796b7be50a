// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const sourcesHash = 'e2b1af4512682fb07e0b683fd7896e89b8bf7066252d56b8cf6d81c27ce76805'
