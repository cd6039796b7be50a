type Yaml = string | number | boolean | readonly Yaml[] | { readonly [name: string]: Yaml | undefined }

/** Formats plain data as YAML. Strings are quoted as in JSON, which YAML contains. */
export function formatYaml(value: object): string {
  return `${formatLines(value as Yaml).join('\n')}\n`
}

function formatLines(value: Yaml): readonly string[] {
  if (typeof value !== 'object') return [JSON.stringify(value)]
  if (isList(value)) {
    return value.flatMap((element) => formatLines(element).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`))
  }
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return []
    const lines = formatLines(member)
    if (typeof member !== 'object') return [`${name}: ${lines[0]}`]
    if (lines.length === 0) return [`${name}: ${isList(member) ? '[]' : '{}'}`]
    return [`${name}:`, ...lines.map((line) => `  ${line}`)]
  })
}

function isList(value: Yaml): value is readonly Yaml[] {
  return Array.isArray(value)
}
