import type { Metafile } from 'esbuild'

/** Returns the directories of the installed packages that a bundle contains code of, such as `node_modules/viem`. */
export function packagesOf({ outputs }: Pick<Metafile, 'outputs'>): readonly string[] {
  const paths = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  const packages = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [])
  return [...new Set(packages)].sort()
}
