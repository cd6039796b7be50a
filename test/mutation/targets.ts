/** Sources to mutate, and the tests that should notice. All are globs from the root. */
export type Target = {
  readonly name: string
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
}

/** Targets whose score CONTRIBUTING.md records. What guards money and signatures, and the query language. */
export const targets: readonly Target[] = [
  { name: 'core', mutate: ['packages/{core,tlog}/src/**'], tests: ['packages/{core,tlog}/src/**'] },
  {
    name: 'issuing',
    mutate: [
      'packages/issuer/src/issue/*rails.ts',
      'packages/issuer/src/issue/{coupon-bounds,retry-gate}.ts',
      'packages/issuer/src/journal/**',
      'packages/issuer/src/published-notes.ts',
    ],
    tests: ['packages/issuer/src/**', 'packages/issuer/test/**'],
  },
  { name: 'keys', mutate: ['packages/keys/src/**'], tests: ['packages/keys/src/**'] },
  {
    name: 'query',
    mutate: ['packages/subgraph/src/query/**'],
    tests: [
      'packages/subgraph/src/**',
      'packages/subgraph/test/{dialect-cases,failure-codes,gallery,introspection,shapes}.test.ts',
    ],
  },
]

/**
 * Returns the target of a path: one of the list by its name, or the sources below a directory, or a file, with the tests
 * of the same package that are beside their sources.
 */
export function findTarget(path: string): Target {
  const known = targets.find(({ name }) => name === path)
  if (known) return known
  const [, packagePath] = /^((?:packages|apps)\/[\w-]+)\/src(?:\/|$)/.exec(path) ?? []
  if (!packagePath) {
    const names = targets.map(({ name }) => name).join(', ')
    throw new Error(`"${path}" is not below the src directory of a package. Give such a path, or one of ${names}.`)
  }
  const mutate = path.endsWith('.ts') ? path : `${path.replace(/\/$/, '')}/**`
  return { name: path, mutate: [mutate], tests: [`${packagePath}/src/**`] }
}
