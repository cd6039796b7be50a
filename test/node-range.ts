type Version = readonly [major: number, minor: number, patch: number]

/**
 * Returns whether a Node version is in a range of an `engines` field.
 *
 * Supports the forms in the lock file: `>=`, `>`, `<=`, `<`, `^` and plain versions, with or without a space after the
 * operator, combined by spaces and `||`. Throws on any other form.
 */
export function isInNodeRange(version: string, range: string): boolean {
  const candidate = parseVersion(version)
  return range.split('||').some((alternative) => comparatorsOf(alternative).every((holds) => holds(candidate)))
}

function comparatorsOf(alternative: string): ((candidate: Version) => boolean)[] {
  const words = alternative
    .trim()
    .replaceAll(/([<>=^])\s+/g, '$1')
    .split(/\s+/)
  return words.map((word) => {
    if (word === '*' || word === '') return () => true
    const [, operator, text] = /^(>=|>|<=|<|\^|)(\d.*)$/.exec(word) ?? []
    if (operator === undefined || text === undefined) throw new Error(`Cannot read the Node range "${alternative}".`)
    return comparatorOf(operator, text)
  })
}

function comparatorOf(operator: string, text: string): (candidate: Version) => boolean {
  const bound = parseVersion(text)
  // A version with fewer than three parts matches all versions that start with it: ">20" excludes 20.1.0.
  const isPartial = text.replaceAll(/\.[xX*]/g, '').split('.').length < 3
  if (isPartial && (operator === '>' || operator === '<=')) throw new Error(`Cannot read "${operator}${text}".`)
  switch (operator) {
    case '>=':
      return (candidate) => compare(candidate, bound) >= 0
    case '>':
      return (candidate) => compare(candidate, bound) > 0
    case '<=':
      return (candidate) => compare(candidate, bound) <= 0
    case '<':
      return (candidate) => compare(candidate, bound) < 0
    case '^':
      return (candidate) => candidate[0] === bound[0] && compare(candidate, bound) >= 0
    default: {
      const parts = text.split('.').filter((part) => /^\d+$/.test(part)).length
      return (candidate) => bound.slice(0, parts).every((part, index) => part === candidate[index])
    }
  }
}

function parseVersion(text: string): Version {
  if (!/^\d+(\.(\d+|[xX*])){0,2}$/.test(text)) throw new Error(`Cannot read the Node version "${text}".`)
  const [major = 0, minor = 0, patch = 0] = text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 0))
  return [major, minor, patch]
}

function compare(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}
