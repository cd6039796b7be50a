type Write = (details: Readonly<Record<string, unknown>>, message: string) => void

/** Log of a follower. A pino logger fits. */
export type FollowerLog = { readonly info: Write; readonly warn: Write; readonly error: Write }
