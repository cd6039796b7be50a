/**
 * How a test waits for what must happen. It is long, because a loaded machine may be many times slower, but less than a
 * test may take (`test/set-up/limits.ts`): the failure then says what did not happen.
 */
export const waitOptions = { timeout: process.env['CI'] ? 300_000 : 50_000, interval: 50 } as const
