type Write = (details: Readonly<Record<string, unknown>>, message: string) => void

/** Where a follower says what it does: a pino logger fits. */
export type FollowerLog = { readonly info: Write; readonly warn: Write; readonly error: Write }
