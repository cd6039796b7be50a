/** Answers by the name of the question. */
export type Answers = Readonly<Record<string, string>>

/** Question of `tallystick init`, and the option that answers it. */
export type Question = {
  /** Name of the option as Commander stores it. */
  readonly name: string
  readonly flags: string
  readonly text: string
  /** Answer if none is given. Without it, the question must be answered. */
  readonly fallback?: (answers: Answers) => string
  /** Whether the question makes sense with the answers before it. */
  readonly applies?: (answers: Answers) => boolean
  /** What `--add` adds with this question. */
  readonly part?: Part
  /** The fallback is taken without asking. */
  readonly isSilent?: boolean
}

/** What can be added to a configuration. */
export const parts = ['chain', 'log'] as const

export type Part = (typeof parts)[number]

/** Returns the questions for a new configuration, or for one part of it. The others do not apply then. */
export function questionsFor(part: Part | undefined): readonly Question[] {
  if (part === undefined) return questions
  return questions.map((question) => {
    if (question.part !== part) return { ...question, applies: () => false }
    const { fallback, isSilent, ...needed } = question
    // A log that is added needs a name.
    return question.name === 'log' || !fallback ? needed : { ...needed, fallback }
  })
}

const chainNames: Readonly<Record<string, string>> = { 1: 'Ethereum', 324: 'zkSync Era', 8453: 'Base' }

export const questions: readonly Question[] = [
  {
    name: 'cert',
    flags: '--cert <file>',
    text: 'TLS certificate with its chain, a PEM file (none: a proxy terminates TLS)',
    fallback: () => '',
  },
  {
    name: 'key',
    flags: '--key <file>',
    text: 'private key of the certificate, a PEM file',
    applies: ({ cert }) => cert !== '',
  },
  {
    name: 'proxy',
    flags: '--proxy <networks>',
    text: 'addresses of the proxy, comma separated',
    fallback: () => '127.0.0.1',
    applies: ({ cert }) => cert === '',
  },
  { name: 'port', flags: '--port <number>', text: 'port of the API', fallback: () => '8443' },
  {
    name: 'adminPort',
    flags: '--admin-port <number>',
    text: 'port of the admin listener, on this machine only',
    fallback: () => '9464',
    isSilent: true,
  },
  {
    name: 'database',
    flags: '--database <url>',
    text: 'database: file:<directory> (embedded), or env:NAME of a variable with a postgres:// URL',
    fallback: () => 'file:.tallystick/db',
  },
  { name: 'chain', part: 'chain', flags: '--chain <id>', text: 'chain id, such as 324' },
  {
    name: 'name',
    part: 'chain',
    flags: '--name <name>',
    text: 'name of the chain',
    fallback: ({ chain = '' }) => chainNames[chain] ?? `Chain ${chain}`,
  },
  { name: 'pool', part: 'chain', flags: '--pool <address>', text: 'address of the pool contract' },
  {
    name: 'rpc',
    part: 'chain',
    flags: '--rpc <url>',
    text: 'JSON-RPC URL of the chain, or env:NAME or file:path of it (none: no check against the chain)',
    fallback: () => '',
  },
  {
    name: 'subgraph',
    part: 'chain',
    flags: '--subgraph <source>',
    text: 'source of /data: "embedded" (indexed from the RPC), or the URL of a subgraph (none: no /data)',
    fallback: () => '',
  },
  {
    name: 'positions',
    part: 'chain',
    flags: '--positions <address>',
    text: 'address of the position token',
    applies: ({ subgraph }) => subgraph === 'embedded',
  },
  {
    name: 'startBlock',
    part: 'chain',
    flags: '--start-block <number>',
    text: 'block of the pool’s deployment, or an earlier one',
    fallback: () => '0',
    applies: ({ subgraph }) => subgraph === 'embedded',
  },
  {
    name: 'signer',
    flags: '--signer <kind>',
    text: 'signer of the notes: "new" (creates a private key), env:NAME or file:path of a private key, keystore:path, the URL of a Web3Signer, aws-kms:<key id or ARN>, or gcp-kms:<key version>',
    fallback: () => 'new',
  },
  {
    name: 'signerPassword',
    flags: '--signer-password <reference>',
    text: 'password of the keystore, as env:NAME or file:path',
    applies: ({ signer = '' }) => signer.startsWith('keystore:'),
  },
  {
    name: 'signerAddress',
    flags: '--signer-address <address>',
    text: 'address of the Web3Signer’s key',
    applies: ({ signer = '' }) => /^https?:/i.test(signer),
  },
  {
    name: 'signerCredentials',
    flags: '--signer-credentials <reference>',
    text: 'JSON key of a Google service account, as env:NAME or file:path (none: the account of this machine)',
    fallback: () => '',
    applies: ({ signer = '' }) => signer.startsWith('gcp-kms:'),
  },
  {
    name: 'adminToken',
    flags: '--admin-token <reference>',
    text: 'admin token: "new" (creates one), env:NAME or file:path',
    fallback: () => 'new',
  },
  {
    name: 'curve',
    flags: '--curve <source>',
    text: 'source of the coupons: "manual" (tallystick curve set), or "treasury" (US Treasury bills)',
    fallback: () => 'manual',
  },
  {
    name: 'spread',
    flags: '--spread <bps>',
    text: 'basis points added to the bill rates',
    fallback: () => '0',
    applies: ({ curve }) => curve === 'treasury',
  },
  {
    name: 'log',
    part: 'log',
    flags: '--log <origin>',
    text: 'name of the public log, its host and path, such as notes.example/log; it never changes',
    fallback: () => '',
    isSilent: true,
  },
  {
    name: 'logKey',
    part: 'log',
    flags: '--log-key <reference>',
    text: 'key of the public log: "new" (creates one), env:NAME or file:path',
    fallback: () => 'new',
    applies: ({ log }) => log !== '',
    isSilent: true,
  },
]
