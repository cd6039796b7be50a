/** How a test waits for what must happen. It is long, because a loaded machine may be many times slower. */
export const patience = { timeout: 120_000, interval: 50 } as const
