// Replaces imports of a package's face (its index) by imports of the modules that declare the names. A bundle then loads, and
// a published package has, only the modules that are used: esbuild keeps all modules of a face in one place.
const namedPattern = /^(import|export)( type)? \{([^}]*)\} from ['"]([^'"]+)['"];?$/gm

/** @type {import('./name-modules.d.mts').nameModules} */
export function nameModules(text, findFace) {
  return text.replace(namedPattern, (whole, verb, type = '', names, from) => {
    const face = findFace(from)
    if (!face) return whole
    const byModule = new Map()
    for (const name of splitNames(names)) {
      const module = face.get(name.replace(/ as .*/, ''))
      if (module === undefined) throw new Error(`${from} does not export ${name}`)
      byModule.set(module, [...(byModule.get(module) ?? []), name])
    }
    return [...byModule].map(([module, own]) => `${verb}${type} { ${own.join(', ')} } from '${module}'`).join('\n')
  })
}

/** @type {import('./name-modules.d.mts').readFace} */
export function readFace(text, locate) {
  const modules = [...text.matchAll(namedPattern)]
  return new Map(modules.flatMap(([, , , names, path]) => splitNames(names).map((name) => [name, locate(path)])))
}

/** Splits a list of imported names. `type` is left out: a declaration file needs none. */
function splitNames(names) {
  return names
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
}
