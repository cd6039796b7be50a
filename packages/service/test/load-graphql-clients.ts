import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'

// What the tests use of the clients. Declared here, because their packages are installed on demand.

type QueryOptions = {
  readonly query: object
  readonly variables?: Readonly<Record<string, unknown>>
  readonly fetchPolicy?: 'no-cache'
}

export type HttpLinkOptions = {
  readonly uri: string
  readonly headers?: Readonly<Record<string, string>>
  readonly useGETForQueries?: boolean
}

type Apollo = {
  readonly ApolloClient: new (options: {
    readonly link: object
    readonly cache: object
  }) => {
    query<Data>(options: QueryOptions): Promise<{ readonly data?: Data }>
  }
  readonly CombinedGraphQLErrors: {
    is(error: unknown): error is { readonly errors: readonly { readonly extensions?: object }[] }
  }
  readonly gql: (text: string) => object
  readonly HttpLink: new (options: HttpLinkOptions) => object
  readonly InMemoryCache: new () => object
}

type PersistedQueryLink = new (options: {
  readonly sha256: (text: string) => string
  readonly useGETForHashedQueries: boolean
}) => { concat(link: object): object }

export type UrqlOptions = {
  readonly exchanges?: readonly object[]
  readonly fetchOptions?: { readonly headers?: Readonly<Record<string, string>> }
  readonly preferGetMethod?: boolean | 'force' | 'within-url-limit'
}

type UrqlResult = {
  readonly data?: unknown
  readonly error?: { readonly message: string; readonly graphQLErrors: readonly { readonly extensions: object }[] }
}

type Urql = {
  readonly Client: new (
    options: UrqlOptions & { readonly url: string },
  ) => {
    query(text: string, variables: object, options?: object): { toPromise(): Promise<UrqlResult> }
  }
  readonly fetchExchange: object
}

export type ClientError = Error & {
  readonly response: { readonly status: number; readonly errors?: readonly object[] }
}

type GraphQLClient = new (
  url: string,
  options?: { readonly headers: Readonly<Record<string, string>>; readonly method?: 'POST' | 'GET' },
) => {
  request(document: string | object, variables?: object): Promise<object>
  batchRequests(documents: readonly { readonly document: string }[]): Promise<object>
}

type Section = { readonly filename: string }

/** The generator and the instance of `graphql` that it uses. */
type Codegen = {
  readonly preset: { buildGeneratesSection(options: object): Promise<readonly Section[]> }
  readonly codegen: (section: Section) => Promise<string>
  readonly graphql: typeof import('graphql')
  /** Directories of packages that the generated code finds. */
  readonly modules: readonly string[]
}

export type Clients = Apollo &
  Urql &
  Codegen & {
    readonly PersistedQueryLink: PersistedQueryLink
    readonly persistedExchange: () => object
    readonly GraphQLClient: GraphQLClient
  }

/** Installs the usual GraphQL clients, unless they are there, and loads them. */
export async function loadClients(): Promise<Clients> {
  const load = await installPackages(fileURLToPath(new URL('graphql-clients', import.meta.url)))
  return {
    ...load('@apollo/client'),
    ...load('@apollo/client/link/persisted-queries'),
    ...load('@urql/core'),
    ...load('@urql/exchange-persisted'),
    ...load('@graphql-codegen/client-preset'),
    ...load('@graphql-codegen/core'),
    GraphQLClient: load('graphql-request').GraphQLClient,
    graphql: load('graphql'),
    modules: load.resolve.paths('graphql') ?? [],
  }
}
