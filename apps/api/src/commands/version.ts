import { createRequire } from 'node:module'

/** Returns the version in package.json. By its name, the file is found from the sources, the build and the bundle. */
export function readVersion(): string {
  const manifest = createRequire(import.meta.url)('@tallystick/api/package.json') as { readonly version: string }
  return manifest.version
}
