/** Why a release cannot be built, one sentence each with what to do. */
export type ReleaseState = {
  /** Version that was asked for. */
  readonly version: string
  /** Versions in package.json by file. */
  readonly manifests: Readonly<Record<string, string>>
  /** Changes of the version in CHANGELOG.md. */
  readonly notes: string | undefined
  /** Changesets that no release has yet. */
  readonly pending: readonly string[]
  /** Uncommitted files. */
  readonly changed: readonly string[]
  readonly head: string
  /** Commit of the tag of this version. */
  readonly tagged: string | undefined
}

/** Returns why a release cannot be built from this state of the repository. */
export function findFaults(state: ReleaseState): readonly string[] {
  const { version, manifests, notes, pending, changed, head, tagged } = state
  const others = Object.entries(manifests).filter(([, found]) => found !== version)
  const list = (names: readonly string[]) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
  return [
    changed.length > 0 && `The tree is not clean: ${list(changed)}. Commit or stash it.`,
    pending.length > 0 && `${list(pending)} is in no release. Run \`npm run release:version\` and commit the result.`,
    others.length > 0 &&
      `${list(others.map(([path, found]) => `${path} has the version ${found}`))}, not ${version}. \`npm run release:version\` sets it.`,
    notes === undefined && `CHANGELOG.md has no section [${version}]. \`npm run release:version\` writes it.`,
    tagged !== undefined &&
      tagged !== head &&
      `The tag v${version} is at ${tagged.slice(0, 12)}, not at ${head.slice(0, 12)}. Check out the tag, or release another version.`,
  ].filter((fault) => fault !== false)
}
