const allFields =
  'id tokenId currentOwner initalOwner initiator coupon principal lendTimestamp maturityTimestamp partnerId status account { id activePositions } pool { id }'

/** Hostile queries for `/subgraphs`: the most expensive permitted ones, and some that must be rejected. */
export const hostileBodies: readonly { readonly name: string; readonly body: string }[] = [
  {
    name: '1,500 roots in 56 KB',
    body: toBody(`{ ${repeat(1_500, (n) => `r${n}: positionInfos(first: 9) { id }`)} }`),
  },
  {
    name: 'maximum of roots, each with all rows',
    body: toBody(`{ ${repeat(30, (n) => `r${n}: positionInfos(first: 1000, skip: ${n}) { ${allFields} }`)} }`),
  },
  {
    name: 'maximum of rows along one path',
    body: toBody(
      '{ accounts(first: 100) { positions(first: 1000) { id account { id } pool { id } partner { id } } } }',
    ),
  },
  { name: 'too many rows', body: toBody('{ accounts(first: 1000) { positions(first: 1000) { id } } }') },
  { name: 'maximum depth', body: toBody(nest(9)) },
  { name: 'too deep', body: toBody(nest(400)) },
  { name: 'introspection', body: toBody(`{ __schema { types { fields { type { ${ofTypes(7)} } } } } }`) },
  { name: 'a distant page', body: toBody('{ positionInfos(first: 1000, skip: 5000, orderBy: coupon) { id } }') },
  { name: 'a large first', body: toBody('{ positionInfos(first: 1000000000) { id } }') },
  {
    name: 'text searches',
    body: toBody(`{ ${repeat(25, (n) => `r${n}: positionInfos(where: { status_contains_nocase: "${n}e" }) { id }`)} }`),
  },
  {
    name: 'a long id list',
    body: toBody(`{ positionInfos(where: { id_in: [${repeat(900, (n) => `"${n}"`)}] }) { id } }`),
  },
  {
    name: 'nested fragments',
    body: toBody(
      `${repeat(20, (n) => `fragment f${n} on PositionInfo { id ...f${n + 1} account { positions { ...f${n + 1} } } }`)}
       fragment f20 on PositionInfo { id } { positionInfos { ...f0 } }`,
    ),
  },
  {
    name: 'deep variables',
    body: `{"query":"{ _meta { block { number } } }","variables":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`,
  },
  { name: 'invalid JSON', body: `{"query":${'['.repeat(20_000)}` },
]

function toBody(query: string): string {
  return JSON.stringify({ query })
}

function repeat(times: number, make: (n: number) => string): string {
  return Array.from({ length: times }, (_, n) => make(n)).join(' ')
}

function nest(depth: number): string {
  const pairs = Math.floor(depth / 2)
  return `{ accounts(first: 1) { ${'positions(first: 2) { account { '.repeat(pairs - 1)} id ${'} } '.repeat(pairs - 1)} } }`
}

function ofTypes(depth: number): string {
  return `${'name kind ofType { '.repeat(depth)} name ${'} '.repeat(depth)}`
}
