// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const sourcesHash = '0e2cd1f09be10c9d11d9c7a0aac772c5b9a2c396aa76b277fa59b4324cd53cb4'
