/** Writes a one-dimensional array as PostgreSQL writes it, quotes only where it would, so that equal arrays are equal texts. */
export function formatArray(elements: readonly (string | null)[]): string {
  return `{${elements.map(formatElement).join(',')}}`
}

function formatElement(element: string | null): string {
  if (element === null) return 'NULL'
  if (element !== '' && !/[{}",\\ \t\n\r\v\f]|^null$/i.test(element)) return element
  return `"${element.replaceAll(/["\\]/g, '\\$&')}"`
}
