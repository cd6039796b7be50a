import type { Values } from './coerce-arguments.ts'
import type { Value } from './value.ts'

/** A variable's text whose place in a statement is kept, so that the statement serves other texts too. */
export type OpenValue = Extract<Value, { readonly text: string }> & {
  readonly variable: string
  /** What the variable is in the request at hand. */
  readonly given: Value
}

/** A parameter that is read from the variables of each request. */
export type VariableSlot = { readonly variable: string; readonly read: (value: Value) => string }

export type OpenVariables = {
  readonly values: Values
  /** Whether a text was looked at as such: then more than a parameter depends on it. */
  readonly areRead: boolean
}

// So short that what it stands for is in every index, whatever the form it is stored in.
const openBytesMax = 200

/**
 * What queries of one text must have in common to share a statement: the values of their variables, except that of
 * texts it is enough that they are short. Undefined if there is no telling.
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

/** Opens the texts among variables that have a signature, and watches what is made of them. */
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

/** The parameter for a value. What is wrong with it shows here, also where it is read again later. */
export function parameterOf(value: Value, read: (value: Value) => string): string | VariableSlot {
  if (!isOpen(value)) return read(value)
  read(value.given)
  return { variable: value.variable, read }
}
