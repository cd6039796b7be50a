/** Module of each exported name. */
export type Face = ReadonlyMap<string, string>

/** Replaces the imports of faces. `findFace` returns undefined for an import that is none. Throws for an unknown name. */
export function nameModules(text: string, findFace: (imported: string) => Face | undefined): string

/** Reads a face from its text. `locate` turns the path of a module, such as `./note/note.js`, into what is imported instead. */
export function readFace(text: string, locate: (path: string) => string): Face
