import pg from 'pg'

type PreparedStatement = {
  /** Name under which a connection prepares the text. */
  readonly name: string
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** Result columns of a statement. */
type Columns = readonly { readonly name: string; readonly dataTypeID: number }[]

/** The part of the driver's connection that its own queries use. `parsedStatements` has the texts by name. */
type Connection = {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Readonly<Record<string, string>>
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(bound: { readonly statement: string; readonly values: readonly unknown[] }): void
  describe(portal: { readonly type: 'P' }): void
  execute(portal: object): void
  sync(): void
}

// The driver converts parameters with it. Its types lack it.
const { prepareValue } = (pg as unknown as { readonly utils: { prepareValue(value: unknown): unknown } }).utils
// A connection describes a statement once: PostgreSQL never changes the columns of a prepared statement.
const described = new WeakMap<Connection, Map<string, Columns>>()

/**
 * Runs a statement that its connection prepares once. The driver's own query asks for the columns and builds a result for
 * them each time, which takes as long as everything else that it does.
 */
export async function runPrepared<Row extends object>(
  client: pg.Pool | pg.PoolClient,
  { statement, types }: { readonly statement: PreparedStatement; readonly types: pg.CustomTypesConfig },
): Promise<Row[]> {
  const query = createQuery(statement)
  await new Promise<void>((resolve, reject) => {
    // The driver takes any object with `submit`. Its types lack the callback.
    const send = client.query.bind(client) as unknown as (
      query: object,
      values: undefined,
      callback: (error: Error | undefined) => void,
    ) => void
    send(query, undefined, (error) => (error ? reject(error) : resolve()))
  })
  const readers = query.columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'))
  return query.rows.map((texts) => {
    const row: Record<string, unknown> = {}
    query.columns.forEach(({ name }, index) => {
      const text = texts[index] ?? null
      row[name] = text === null ? null : readers[index]?.(text)
    })
    return row as Row
  })
}

/** Creates a query as the driver sends it. The driver sets the callback, and calls the other functions. */
function createQuery({ name, text, parameters }: PreparedStatement) {
  const values = parameters.map(prepareValue)
  const rows: (readonly (string | null)[])[] = []
  const query = {
    name,
    text,
    rows,
    columns: [] as Columns,
    callback: undefined as ((error: Error | undefined) => void) | undefined,
    submit: (connection: Connection) => {
      const known = described.get(connection)?.get(name)
      connection.stream.cork()
      if (connection.parsedStatements[name] === undefined) connection.parse({ name, text })
      connection.bind({ statement: name, values })
      if (known) query.columns = known
      else connection.describe({ type: 'P' })
      connection.execute({})
      connection.sync()
      connection.stream.uncork()
    },
    handleRowDescription: ({ fields }: { readonly fields: Columns }) => {
      query.columns = fields
    },
    handleDataRow: ({ fields }: { readonly fields: readonly (string | null)[] }) => {
      rows.push(fields)
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: (connection: Connection) => {
      const statements = described.get(connection) ?? new Map()
      described.set(connection, statements.set(name, query.columns))
      query.callback?.(undefined)
    },
    handleError: (error: Error) => query.callback?.(error),
  }
  return query
}
