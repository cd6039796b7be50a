import { type Scalar, type StoredField, storageScalar } from '../schema/entity-model.ts'
import { parseScalar } from '../schema/parse-scalar.ts'

/** Text of a value as PostgreSQL returns it, or null; or why the value is invalid. */
type EncodedValue = { readonly text: string | null } | { readonly fault: string }

// Ids and numbers are indexed whole, so they must fit an index entry. Chains produce far smaller ones.
const idBytesMax = 1_024
const bigIntDigitsMax = 2_000

const forms: Record<Scalar, string> = {
  ID: `a string of at most ${idBytesMax} bytes without NUL characters`,
  String: 'a string without NUL characters',
  Bytes: 'a string of 0x and an even number of hexadecimal digits',
  BigInt: `a decimal string of at most ${bigIntDigitsMax} digits`,
  BigDecimal: 'a decimal string',
  Int: 'a number, a 32-bit integer',
  Int8: 'a decimal string, a 64-bit integer',
  Timestamp: 'a decimal string of microseconds',
  Boolean: 'true or false',
}

/** Encodes a value in API form (BigInt as decimal string, Bytes as 0x hex, a reference as an id) for its column. */
export function encodeValue(field: StoredField, value: unknown): EncodedValue {
  if (value === null || value === undefined) {
    return field.isRequired ? { fault: 'is required' } : { text: null }
  }
  if (!field.isList) return encodeElement(field, value)
  if (!Array.isArray(value)) return { fault: 'must be a list' }
  const elements: (string | null)[] = []
  for (const element of value as readonly unknown[]) {
    if ((element === null || element === undefined) && field.areElementsRequired) {
      return { fault: 'must be a list without nulls' }
    }
    const encoded = element === null || element === undefined ? { text: null } : encodeElement(field, element)
    if ('fault' in encoded) return encoded
    // In an array PostgreSQL prints a boolean as one letter.
    elements.push(typeof element === 'boolean' ? String(element).charAt(0) : encoded.text)
  }
  return { text: formatArray(elements) }
}

function encodeElement({ name, type }: StoredField, value: unknown): EncodedValue {
  const scalar = storageScalar(type)
  const isId = name === 'id' || type.kind === 'reference'
  if (type.kind === 'enum' && !type.values.includes(value as string)) {
    return { fault: `must be one of ${type.values.join(', ')}` }
  }
  const text = textOf(scalar, value)
  const parsed = text === undefined ? { fault: '' } : parseScalar(scalar, text)
  if ('fault' in parsed || isTooLong(parsed.text, { scalar, isId })) {
    return { fault: `must be ${isId && scalar === 'String' ? forms.ID : forms[scalar]}` }
  }
  return parsed
}

/** Returns the text of a value, or undefined if its JavaScript type is wrong. */
function textOf(scalar: Scalar, value: unknown): string | undefined {
  if (scalar === 'Boolean') return typeof value === 'boolean' ? String(value) : undefined
  if (scalar === 'Int') return typeof value === 'number' ? String(value) : undefined
  if (scalar === 'Bytes') return typeof value === 'string' && /^0x/.test(value) ? value : undefined
  const takesBigint = scalar === 'BigInt' || scalar === 'Int8' || scalar === 'Timestamp'
  if (takesBigint && typeof value === 'bigint') return String(value)
  return typeof value === 'string' ? value : undefined
}

function isTooLong(text: string, { scalar, isId }: { readonly scalar: Scalar; readonly isId: boolean }): boolean {
  if (scalar === 'BigInt') return text.length > bigIntDigitsMax + 1
  if (!isId) return false
  // Each byte has two digits.
  return Buffer.byteLength(text) > (scalar === 'Bytes' ? 2 * idBytesMax + 2 : idBytesMax)
}

/** Formats a one-dimensional array exactly as PostgreSQL prints it, so that equal arrays have equal texts. */
export function formatArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((element) => (element === null ? 'NULL' : formatElement(element))).join(',')}}`
}

/** Parses what `formatArray` formats. */
export function parseArray(text: string): readonly (string | null)[] {
  const elements = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/gs)
  return [...elements].map(([element, quoted]) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gs, '$1')
    return element === 'NULL' ? null : element
  })
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

/** Formats a row for `copy … from stdin`, with texts as PostgreSQL returns them. */
export function formatRow(texts: readonly (string | null | undefined)[]): string {
  return `${texts.map((text) => (text == null ? '\\N' : escapeText(text))).join('\t')}\n`
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escapeText(text: string): string {
  if (!/[\\\t\n\r]/.test(text)) return text
  // Fast path: most of them are bytes.
  if (/^\\x[\da-f]*$/.test(text)) return `\\${text}`
  return text.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] as string)
}
