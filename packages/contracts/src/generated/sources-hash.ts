// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.

export const sourcesHash = '9ca8f785a3dd22af695e885f02ce2f38bf9627cf7c5c3c14f6b602933a0f0674'
