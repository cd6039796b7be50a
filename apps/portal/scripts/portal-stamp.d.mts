/** What a build was made from, and what it comes to. */
export type Stamp = { readonly key: string; readonly firstLoadBytes: number }

/** Everything that can change the page: its own sources, those it is bundled with, and the versions of the rest. */
export function hashSources(root: string): string

/** Of the build in a directory; undefined if there is none. */
export function readStamp(target: string): Stamp | undefined
