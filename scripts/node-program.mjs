// How esbuild bundles a program for Node, from the builds of our packages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nameModules, readFace } from './name-modules.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))

/** @type {import('esbuild').BuildOptions} */
export const nodeProgram = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // These load further files of their packages.
  external: ['@electric-sql/pglite', '@nomicfoundation/edr', 'pg-native'],
  // Bundled CommonJS modules call require for modules of Node.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
  },
  plugins: [nameModulesOfFaces()],
}

/** Lets esbuild see the modules behind the faces of our packages. */
function nameModulesOfFaces() {
  const faces = new Map()
  const findFace = (imported) => {
    const [, name, entry = 'index'] = /^@tallystick\/([\w-]+)(?:\/(pure))?$/.exec(imported) ?? []
    if (name === undefined) return undefined
    const folder = join(root, 'packages', name, 'dist')
    if (!faces.has(imported)) {
      const text = readFileSync(join(folder, `${entry}.js`), 'utf8')
      faces.set(
        imported,
        readFace(text, (path) => join(folder, path)),
      )
    }
    return faces.get(imported)
  }
  return {
    name: 'modules-of-faces',
    setup: (build) =>
      build.onLoad({ filter: /\/(?:packages|apps)\/[\w-]+\/dist\/.*\.js$/ }, ({ path }) => ({
        contents: nameModules(readFileSync(path, 'utf8'), findFace),
      })),
  }
}
