/** Where a token comes from when it is minted, and goes to when it is burned (ERC-721). */
export const zeroAddress: string = `0x${'00'.repeat(20)}`
