import { fileURLToPath } from 'node:url'

/** Folder of the manifests and the files they name. All of them are generated. The compiler runs in it. */
export const manifestFolder: string = fileURLToPath(new URL('../manifests', import.meta.url))
