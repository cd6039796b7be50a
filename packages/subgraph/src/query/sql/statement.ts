import type { ApiSchema } from '../../schema/api-schema.ts'
import { openEnd } from '../../store/block.ts'
import type { Layout } from '../../store/layout.ts'
import { QueryError } from '../query-error.ts'
import type { Values } from '../request/coerce-arguments.ts'
import { nullValue, type Value } from '../request/value.ts'

/** Placeholders for parameters that are known only when the statement runs. */
export const parentIdsSlot = Symbol('ids of the parents')
export const rowLimitSlot = Symbol('remaining rows of the query')
export const blockSlot = Symbol('block number')

/** Statement whose text depends only on the shape of the query. Every value is a parameter. */
export type Statement = { readonly text: string; readonly parameters: readonly unknown[] }

/** Versions that a statement reads: the open ones, or those valid at a block. */
export type Visibility = 'head' | 'block'

export type Scope = { readonly api: ApiSchema; readonly layout: Layout; readonly visibility: Visibility }

/** Scope with the parameters of the statement that is being compiled. */
export type StatementScope = Scope & { readonly parameters: Parameters }

export type Parameters = {
  readonly values: readonly unknown[]
  /** Adds a value and returns its placeholder. */
  add(value: unknown): string
}

// PostgreSQL's protocol allows 65,535 parameters.
const parametersMax = 5_000

export function createParameters(): Parameters {
  const values: unknown[] = []
  return {
    values,
    add: (value) => {
      if (values.length >= parametersMax) throw new QueryError(`A filter has more than ${parametersMax} values.`)
      const known = typeof value === 'symbol' ? values.indexOf(value) : -1
      return `$${known === -1 ? values.push(value) : known + 1}`
    },
  }
}

/** Returns the parameters of a statement for the variables of a request. */
export function fillSlots(parameters: readonly unknown[], variables: Values): readonly unknown[] {
  return parameters.map((parameter) => {
    if (typeof parameter !== 'object' || parameter === null || !('variable' in parameter)) return parameter
    const { variable, read } = parameter as VariableSlot
    return read(variables.get(variable) ?? nullValue)
  })
}

/**
 * Returns the condition that a row is a visible version and matches `condition`. For a past block it has two halves, each
 * with the condition: versions that are still open, and versions closed since. A block near the head, which clients use to
 * read pages, is then found by the indexes of the head and the few versions closed since.
 */
export function visibleSql(
  { visibility, parameters }: StatementScope,
  { alias, condition }: { readonly alias: string; readonly condition: string },
): string {
  const [from, to] = [`${alias}."$from"`, `${alias}."$to"`]
  // A literal, so that PostgreSQL can match it with the condition of the partial indexes.
  if (visibility === 'head') return `${to} = ${openEnd} and (${condition})`
  const block = `${parameters.add(blockSlot)}::int4`
  const isOpen = `${to} = ${openEnd} and ${from} <= ${block} and (${condition})`
  const isClosedSince = `${to} < ${openEnd} and ${to} > ${block} and ${from} <= ${block} and (${condition})`
  return `((${isOpen}) or (${isClosedSince}))`
}

/** Text of a variable that becomes a slot of a statement, so that the statement can be reused with other texts. */
type OpenValue = Extract<Value, { readonly text: string }> & {
  readonly variable: string
  /** Value of the variable in the current request. */
  readonly given: Value
}

/** Parameter that is read from the variables of each request. */
type VariableSlot = { readonly variable: string; readonly read: (value: Value) => string }

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
export function openVariables(variables: Values) {
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
    /** Whether a text was read directly. Then more than a parameter depends on it. */
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
