/** Kinds of changes in the order of the changelog. The first one is ours, the others are those of Keep a Changelog. */
const kinds = ['When you upgrade', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const

export type NewRelease = {
  readonly version: string
  /** Day of the release, `YYYY-MM-DD`. */
  readonly date: string
  /** Texts of the changesets, with the headings of the changelog. */
  readonly changes: readonly string[]
}

/** Adds a release above the others, with what stood under `[Unreleased]`. Throws if a change has an unknown heading. */
export function addRelease(changelog: string, { version, date, changes }: NewRelease): string {
  const { intro, releases } = splitReleases(changelog)
  if (releases.some(({ name }) => name === version)) throw new Error(`CHANGELOG.md already has ${version}.`)
  const unreleased = releases.find(({ name }) => name === 'Unreleased')
  const kept = releases.filter((release) => release !== unreleased)
  const merged = mergeChanges([unreleased?.text ?? '', ...changes])
  if (merged === '') throw new Error(`${version} has no changes. Describe them in .changeset, see CONTRIBUTING.md.`)
  const sections = [{ heading: `## [${version}] - ${date}`, text: merged }, ...kept]
  return [`${intro.trim()}\n`, ...sections.map(({ heading, text }) => `${heading}\n\n${text.trim()}\n`)].join('\n')
}

/** Returns the changes of a release without its heading, or undefined if the changelog does not have it. */
export function findRelease(changelog: string, version: string): string | undefined {
  return splitReleases(changelog)
    .releases.find(({ name }) => name === version)
    ?.text.trim()
}

function splitReleases(changelog: string) {
  const [intro = '', ...parts] = changelog.split(/^(?=## \[)/m)
  const releases = parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    return { name: /\[(.+?)\]/.exec(heading)?.[1] ?? '', heading, text: lines.join('\n') }
  })
  return { intro, releases }
}

/** Merges texts by kind and reader. The entries of the first text come first. */
function mergeChanges(texts: readonly string[]): string {
  const byKind = new Map<string, Map<string, string[]>>()
  for (const text of texts) {
    let readers: Map<string, string[]> | undefined
    let entries: string[] | undefined
    for (const line of text.split('\n')) {
      const [, marks, title = ''] = /^(#{3,4}) (.+)$/.exec(line) ?? []
      if (marks === '###') {
        readers = getOrAdd(byKind, assertKind(title), () => new Map())
        entries = getOrAdd(readers, '', () => [])
      } else if (marks && readers) entries = getOrAdd(readers, title, () => [])
      else if (line.trim() !== '' && entries) entries.push(line)
      else if (line.startsWith('-') || marks) throw new Error(`"${line}" is below no heading such as "### Added".`)
    }
  }
  const sections = kinds.flatMap((kind) => {
    const readers = [...(byKind.get(kind) ?? [])].filter(([, entries]) => entries.length > 0)
    if (readers.length === 0) return []
    const blocks = readers.map(([reader, entries]) =>
      [...(reader ? [`#### ${reader}`, ''] : []), ...entries].join('\n'),
    )
    return [`### ${kind}`, ...blocks]
  })
  return sections.join('\n\n')
}

function assertKind(title: string): string {
  if ((kinds as readonly string[]).includes(title)) return title
  throw new Error(`"${title}" is no kind of change. Use one of: ${kinds.join(', ')}.`)
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}
