import { Button } from '@tallystick/ui'
import { type GraphQLNamedType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { useEffect, useRef, useState } from 'preact/hooks'
import { describeType, type SchemaField } from './describe-type.ts'
import { matchesMax, searchSchema } from './search-schema.ts'

type BrowserProps = {
  readonly schema: GraphQLSchema
  readonly onInsert: (field: { readonly typeName: string; readonly fieldName: string }) => void
}

/** Renders the types of the schema, one at a time, and inserts their fields into the query. */
export function SchemaBrowser({ schema, onInsert }: BrowserProps) {
  const root = schema.getQueryType()?.name ?? 'Query'
  const [trail, setTrail] = useState<readonly string[]>([root])
  const [search, setSearch] = useState('')
  const open = (typeName: string) => {
    const known = trail.indexOf(typeName)
    setTrail(known === -1 ? [...trail, typeName] : trail.slice(0, known + 1))
    setSearch('')
  }
  const type = schema.getType(trail.at(-1) as string)
  return (
    <>
      <label class="sr-only" for="schema-search">
        Search the schema
      </label>
      <input
        id="schema-search"
        type="search"
        placeholder="Search types and fields"
        autocomplete="off"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {search.trim() === '' && type ? (
        <>
          <Trail trail={trail} onOpen={open} />
          <TypeDetails key={type.name} {...{ type, onOpen: open, onInsert }} isFirst={trail.length === 1} />
        </>
      ) : (
        <Matches {...{ schema, search, onOpen: open, onInsert }} />
      )}
    </>
  )
}

type Opener = { readonly onOpen: (typeName: string) => void }

function Trail({ trail, onOpen }: Opener & { readonly trail: readonly string[] }) {
  if (trail.length === 1) return null
  return (
    <nav class="row schema-trail" aria-label="Types above">
      {trail.slice(0, -1).map((name) => (
        <Button key={name} class="bare schema-type" label={name} onClick={() => onOpen(name)} />
      ))}
    </nav>
  )
}

type TypeDetailsProps = Opener &
  Pick<BrowserProps, 'onInsert'> & {
    readonly type: GraphQLNamedType
    /** Whether the visitor did not navigate to it. */
    readonly isFirst: boolean
  }

function TypeDetails({ type, isFirst, onOpen, onInsert }: TypeDetailsProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that opened it is gone, so the focus would be lost.
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
  }, [])
  const { kind, fields, values } = describeType(type)
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {type.name} <span class="muted regular">{kind}</span>
      </h2>
      {type.description ? <p class="hint">{type.description}</p> : null}
      <ul class="schema-fields">
        {fields.map((field) => (
          <FieldRow
            key={field.name}
            {...{ field, onOpen }}
            onInsert={kind === 'type' ? () => onInsert({ typeName: type.name, fieldName: field.name }) : undefined}
          />
        ))}
        {values.map(({ name }) => (
          <li key={name}>
            <code class="mono">{name}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

type FieldRowProps = Opener & { readonly field: SchemaField; readonly onInsert: (() => void) | undefined }

function FieldRow({ field: { name, type, args = [], description }, onOpen, onInsert }: FieldRowProps) {
  return (
    <li>
      <div class="row schema-field anywhere">
        <InsertButton name={name} onInsert={onInsert} />
        <code class="mono">{name}</code>
        <TypeLink type={type} onOpen={onOpen} />
      </div>
      {description ? <p class="hint">{description}</p> : null}
      {args.length > 0 ? (
        <details class="hint">
          <summary>
            {args.length === 1 ? '1 argument' : `${args.length} arguments`}
            <span class="sr-only"> of {name}</span>
          </summary>
          <ul>
            {args.map((argument) => (
              <li key={argument.name} class="row schema-field anywhere">
                <code class="mono">{argument.name}</code>
                <TypeLink type={argument.type} onOpen={onOpen} />
                {argument.defaultValue === undefined ? null : (
                  <span class="muted">= {JSON.stringify(argument.defaultValue)}</span>
                )}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </li>
  )
}

/** Renders nothing for a field that a query cannot select. */
function InsertButton({ name, onInsert }: { readonly name: string; readonly onInsert: (() => void) | undefined }) {
  if (!onInsert) return null
  return <Button class="schema-insert" label="+" onClick={onInsert} aria-label={`Insert ${name} into the query`} />
}

function TypeLink({ type, onOpen }: Opener & { readonly type: SchemaField['type'] }) {
  return <Button class="bare schema-type" label={String(type)} onClick={() => onOpen(getNamedType(type).name)} />
}

function Matches({ schema, search, onOpen, onInsert }: BrowserProps & Opener & { readonly search: string }) {
  const matches = searchSchema(schema, search)
  return (
    <>
      <p class="hint" role="status">
        {matches.length === 0
          ? 'Nothing in the schema has this name.'
          : matches.length === matchesMax
            ? `The first ${matchesMax} are shown.`
            : `${matches.length} found`}
      </p>
      <ul class="schema-fields">
        {matches.map(({ typeName, fieldName }) => (
          <li key={`${typeName} ${fieldName}`} class="row schema-field anywhere">
            {fieldName !== undefined && isObjectType(schema.getType(typeName)) ? (
              <InsertButton name={fieldName} onInsert={() => onInsert({ typeName, fieldName })} />
            ) : null}
            <Button
              class="bare schema-type"
              label={fieldName === undefined ? typeName : `${typeName}.${fieldName}`}
              onClick={() => onOpen(typeName)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
