/** Queries with the start of the message. */
export const galleryFailures: readonly (readonly [string, string])[] = [
  ['{ works(first: 0) { id } }', 'The `first` argument must be between 0 and 1000, but is 0'],
  ['{ works(first: -1) { id } }', 'The `first` argument must be between 0 and 1000, but is -1'],
  ['{ works(skip: -1) { id } }', 'The `skip` argument must be between 0 and 5000, but is -1'],
  ['{ artists { works(first: 1001) { id } } }', 'The `first` argument must be between 0 and 1000, but is 1001'],
  ['{ works(where: {price_gt: null}) { id } }', 'Store error: unsupported filter `>` for value `null`'],
  ['{ works(where: {price_lte: null}) { id } }', 'Store error: unsupported filter `<=` for value `null`'],
  ['{ works(where: {title_starts_with: null}) { id } }', 'Store error: unsupported filter ` like ` for value `null`'],
  [
    '{ works(where: {title_not_ends_with_nocase: null}) { id } }',
    'Store error: unsupported filter ` not ilike ` for value `null`',
  ],
  [
    '{ works(where: {title_contains: null}) { id } }',
    'Failed to get entities from store: unsupported filter `contains` for value `null`, query = ',
  ],
  ['{ works(where: {year_in: null}) { id } }', 'Non-list value passed to `_in` filter'],
  ['{ works(where: {year_not_in: null}) { id } }', 'Non-list value passed to `_not_in` filter'],
  [
    'query ($x: [Int]) { works(where: {year_in: $x}) { id } }',
    'Variable "$x" of type "[Int]" used in position expecting type "[Int!]".',
  ],
  ['{ works(where: {_change_block: null}) { id } }', 'Filter must by an object'],
  ['{ works(where: {and: null}) { id } }', 'Filter must by an object'],
  ['{ works(where: {or: [null]}) { id } }', 'Filter must by an object'],
  ['{ works(where: {and: [{year: 1}], year: 1}) { id } }', 'Filter must by an object'],
  ['{ works(where: {and: [{year: 1}], _change_block: {number_gte: 1}}) { id } }', 'Filter must by an object'],
  [
    '{ works(where: {or: [{year: 1}], title: "x", year: 1}) { id } }',
    "Cannot mix column filters with 'or' operator at the same level. Found column filter(s) 'title', 'year' alongside 'or' operator.\n\nInstead of",
  ],
  ['{ works(where: {artist_: {works_: {year: 1}}}) { id } }', 'Child filter nesting not supported by value `works`: `'],
  [
    '{ works(where: {artist: "0xzz"}) { id } }',
    "Failed to decode `Bytes` value: `Invalid character 'z' at position 0`",
  ],
  ['{ artist(id: "abc") { id } }', 'Failed to decode `Bytes` value: `Odd number of digits`'],
  ['{ gallery(id: "x") { id } }', 'Failed to decode `Int8` value: `invalid digit found in string`'],
  ['{ works(where: {price: "1.5"}) { id } }', 'Failed to decode `BigInt` value: `invalid digit found in string`'],
  ['{ works(where: {price: ""}) { id } }', 'Failed to decode `BigInt` value: `cannot parse integer from empty string`'],
  [
    '{ works(where: {price_gt: 1.5}) { id } }',
    'Invalid value provided for argument `where`: Object({"price_gt": Float(1.5)})',
  ],
  [
    '{ works(where: {price: true}) { id } }',
    'Invalid value provided for argument `where`: Object({"price": Boolean(true)})',
  ],
  [
    '{ artists(where: {rank: "9223372036854775808"}) { id } }',
    'Failed to decode `Int8` value: `number too large to fit in target type`',
  ],
  ['{ artists(where: {score: "x"}) { id } }', 'Failed to decode `BigDecimal` value: `'],
  [
    '{ artists(where: {bornAt: 5}) { id } }',
    'Invalid value provided for argument `where`: Object({"bornAt": Int(Number(5))})',
  ],
  [
    '{ artists(where: {bornAt: "x"}) { id } }',
    'Invalid value provided for argument `where`: Object({"bornAt": String("x")})',
  ],
  ['{ artists(orderBy: tags) { id } }', 'Ordering by `tags` is not supported for type `Artist`'],
  ['{ artists(orderBy: mood) { id } }', 'Ordering by `mood` is not supported for type `Artist`'],
  ['{ artists(orderBy: mentor) { id } }', 'Ordering by `mentor` is not supported for type `Artist`'],
  ['{ artists(orderBy: works) { id } }', 'Ordering by `works` is not supported for type `Artist`'],
  [
    '{ artists { works(orderBy: gallery__name) { id } } }',
    'SortKey::ChildKey cannot be used for parent ordering (yet)',
  ],
  [
    '{ works(block: {number: 4}) { id } }',
    'Failed to decode `block.number` value: `subgraph QmGallery has only indexed up to block number 3 and data for block number 4 is therefore not yet available`',
  ],
  [
    '{ works(block: {number: 0}) { id } }',
    'Failed to decode `block.number` value: `subgraph QmGallery only has data starting at block number 1 and data for block number 0 is therefore not available`',
  ],
  [
    '{ works(block: {number_gte: 4}) { id } }',
    'Failed to decode `block.number_gte` value: `subgraph QmGallery has only indexed up to block number 3',
  ],
  ['{ works(block: {hash: "0x01"}) { id } }', 'Failed to decode `block.hash` value: `no block with that hash found`'],
  [
    '{ works(block: {hash: "xyz"}) { id } }',
    'Invalid value provided for argument `block`: Object({"hash": String("xyz")})',
  ],
  ['{ works(block: {number: null}) { id } }', 'Invalid value provided for argument `block`: Object({"number": Null})'],
  [
    '{ works(block: {number: null, number_gte: 1}) { id } }',
    'Invalid value provided for argument `block`: Object({"number": Null, "number_gte": Int(Number(1))})',
  ],
  [
    'query ($n: Int) { works(block: {number: $n}) { id } }',
    'Invalid value provided for argument `block`: Object({"number": Null})',
  ],
  ['{ works(subgraphError: null) { id } }', 'Expected value of type "_SubgraphErrorPolicy_!", found null.'],
  ['{ works { id } } mutation { x }', 'Not supported: Mutations are not supported'],
  ['query A { works { id } } query B { works { id } }', 'Operation name required'],
  ['fragment F on Work { id }', 'Operation name required'],
  ['', 'Syntax Error: Unexpected <EOF>.'],
  ['{ works { nope } }', 'Cannot query field "nope" on type "Work".'],
  ['{ work { id } }', 'Field "work" argument "id" of type "ID!" is required, but it was not provided.'],
  ['{ works(x: 1) { id } }', 'Unknown argument "x" on field "Query.works".'],
  ['query Q { works(first: $n) { id } }', 'Variable "$n" is not defined by operation "Q".'],
  ['query ($n: Int) { works { id } }', 'Variable "$n" is never used.'],
  ['query ($n: Nope) { works(first: $n) { id } }', 'Unknown type "Nope".'],
  ['{ works { id } } fragment F on Work { id }', 'Fragment "F" is never used.'],
  ['{ works { ...F } }', 'Unknown fragment "F".'],
  ['{ works { ...F } } fragment F on Work { ...F }', 'Cannot spread fragment "F" within itself.'],
  ['{ works { id @x } }', 'Unknown directive "@x".'],
  ['{ works }', 'Field "works" of type "[Work!]!" must have a selection of subfields. Did you mean "works { ... }"?'],
  ['{ works(where: {x: 1}) { id } }', 'Field "x" is not defined by type "Work_filter".'],
  ['{ works(orderDirection: "desc") { id } }', 'Enum "OrderDirection" cannot represent non-enum value: "desc".'],
]

/** Queries and variables with the start of the message. */
export const galleryVariableFailures: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['query ($id: ID!) { work(id: $id) { id } }', {}, 'No value provided for required variable `id`'],
  ['query ($id: ID!) { work(id: $id) { id } }', { id: null }, 'Invalid value provided for argument `id`: Null'],
  ['query ($id: ID!) { work(id: $id) { id } }', { id: 1.5 }, 'Invalid value provided for argument `id`: Float(1.5)'],
  ['query ($n: Int) { works(first: $n) { id } }', { n: '5' }, 'Invalid value provided for argument `n`: String("5")'],
  [
    'query ($n: Int) { works(first: $n) { id } }',
    { n: 5e9 },
    'Invalid value provided for argument `n`: Float(5000000000.0)',
  ],
  [
    'query ($w: Work_filter) { works(where: $w) { id } }',
    { w: { x: 1 } },
    'Invalid value provided for argument `w`: Object({"x": Int(Number(1))})',
  ],
  [
    'query ($w: Work_filter) { works(where: $w) { id } }',
    { w: [] },
    'Invalid value provided for argument `w`: List([])',
  ],
  [
    'query ($w: Work_filter) { works(where: $w) { id } }',
    { w: { year_in: [null] } },
    'Invalid value provided for argument `w`',
  ],
  [
    'query ($o: Work_orderBy) { works(orderBy: $o) { id } }',
    { o: 'nope' },
    'Invalid value provided for argument `o`: String("nope")',
  ],
  [
    'query ($s: String) { works(where: {title_gt: $s}) { id } }',
    {},
    'Store error: unsupported filter `>` for value `null`',
  ],
  [
    'query ($p: _SubgraphErrorPolicy_ = deny) { works(subgraphError: $p) { id } }',
    { p: null },
    'Invalid value provided for argument `subgraphError`: Null',
  ],
]
