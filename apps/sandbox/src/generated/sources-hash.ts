// Written by `npm run compile -w apps/sandbox` from apps/sandbox/contracts.

export const sourcesHash = '2ae2fc00a9e6878839ee8945874d7403a088ac1af9b61a3211371bcdef59e0a7'
