/** Formats a one-dimensional array exactly as PostgreSQL prints it, so that equal arrays have equal texts. */
export function formatArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((element) => (element === null ? 'NULL' : formatElement(element))).join(',')}}`
}

export function formatIntegers(elements: readonly number[]): string {
  return `{${elements.join(',')}}`
}

function formatElement(element: string): string {
  // Fast paths: most elements are numbers or bytes.
  if (/^-?\d/.test(element) && !/[^\d.-]/.test(element)) return element
  if (element.startsWith('\\x') && !/[^\da-f]/.test(element.slice(2))) return `"\\${element}"`
  if (element !== '' && !/[{}",\\ \t\n\r\v\f]|^null$/i.test(element)) return element
  return `"${element.replaceAll(/["\\]/g, '\\$&')}"`
}
