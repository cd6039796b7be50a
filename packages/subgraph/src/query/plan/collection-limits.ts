// The operators of The Graph's network use these limits.
export const firstDefault = 100
export const firstMax = 1_000
export const skipMax = 5_000
