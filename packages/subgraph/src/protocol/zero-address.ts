/** Sender of a mint and recipient of a burn (ERC-721). */
export const zeroAddress: string = `0x${'00'.repeat(20)}`
