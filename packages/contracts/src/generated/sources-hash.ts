// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const sourcesHash = 'b6ac5f7b14d2e1e746d9ee60b11f431a8973812982cc118ccea16f836281974a'
