/** Reads CSV by the grammar of RFC 4180 §2, without our code. Returns one object per row, by the names of the header. */
export function parseCsv(text: string): Record<string, string>[] {
  const rows: string[][] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  for (let row: string[] = []; pattern.lastIndex < text.length; ) {
    const match = pattern.exec(text)
    if (!match) throw new Error('not RFC 4180')
    row.push(match[1]?.replaceAll('""', '"') ?? (match[2] as string))
    if (match[3] === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  const [header = [], ...records] = rows
  return records.map((record) => {
    if (record.length !== header.length) throw new Error('a row has another number of fields than the header')
    return Object.fromEntries(header.map((name, index) => [name, record[index] as string]))
  })
}
