/** Hash of the sources of a build, the size of the page, and the packages whose code page and console contain. */
export type Stamp = { readonly key: string; readonly firstLoadBytes: number; readonly packages: readonly string[] }

/** Returns a hash of everything that affects the page: its sources, bundled sources and the versions of dependencies. */
export function hashSources(root: string): string

/** Returns the stamp of the build in a directory, or undefined if there is none. */
export function readStamp(target: string): Stamp | undefined
