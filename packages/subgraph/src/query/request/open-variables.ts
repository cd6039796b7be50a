import type { Values } from './coerce-arguments.ts'
import type { Value } from './value.ts'

/** Text of a variable that becomes a slot of a statement, so that the statement can be reused with other texts. */
export type OpenValue = Extract<Value, { readonly text: string }> & {
  readonly variable: string
  /** Value of the variable in the current request. */
  readonly given: Value
}

/** Parameter that is read from the variables of each request. */
export type VariableSlot = { readonly variable: string; readonly read: (value: Value) => string }

export type OpenVariables = {
  readonly values: Values
  /** Whether a text was read directly. Then more than a parameter depends on it. */
  readonly areRead: boolean
}

// So short that the value is in every index, whatever its stored form.
const openBytesMax = 200

/**
 * Returns the part of the variables that queries of one text must have in common to share a statement: all values but
 * short texts. Returns undefined if a variable is a list, an object or a long text.
 */
export function signatureOf(variables: Values): string | undefined {
  let signature = ''
  for (const [name, value] of variables) {
    if (value.kind === 'List' || value.kind === 'Object') return undefined
    if (value.kind === 'String' && Buffer.byteLength(value.text) > openBytesMax) return undefined
    signature += ` ${name}:${value.kind}${describe(value)}`
  }
  return signature
}

function describe(value: Exclude<Value, { readonly kind: 'List' | 'Object' }>): string {
  if (value.kind === 'Boolean') return String(value.value)
  return value.kind === 'Null' || value.kind === 'String' ? '' : value.text
}

/** Replaces the texts of variables with open values, and records whether their text is read. */
export function openVariables(variables: Values): OpenVariables {
  let areRead = false
  const open = (variable: string, given: Extract<Value, { readonly text: string }>): OpenValue => ({
    kind: 'String',
    variable,
    given,
    get text() {
      areRead = true
      return given.text
    },
  })
  const values = new Map<string, Value>()
  for (const [name, value] of variables) values.set(name, value.kind === 'String' ? open(name, value) : value)
  return {
    values,
    get areRead() {
      return areRead
    },
  }
}

export function isOpen(value: Value): value is OpenValue {
  return 'given' in value
}

/** Returns the parameter for a value. A wrong value throws here, even if it is only read when the statement runs. */
export function parameterOf(value: Value, read: (value: Value) => string): string | VariableSlot {
  if (!isOpen(value)) return read(value)
  read(value.given)
  return { variable: value.variable, read }
}
