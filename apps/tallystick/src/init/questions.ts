import { Option } from 'commander'

/** Answers by the name of the question. */
export type Answers = Readonly<Record<string, string>>

/** Question of `tallystick init`, and the option that answers it. */
export type Question = {
  /** Name of the option as Commander stores it. */
  readonly name: string
  /** Option as Commander declares it, such as `--admin-port <number>`. */
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

/** Returns the questions for another chain of a new configuration. Without an id there is none. */
export function questionsForNextChain(): readonly Question[] {
  return questions
    .filter(({ part }) => part === 'chain')
    .map((question) =>
      question.name === 'chain'
        ? { ...question, text: 'id of another chain', fallback: () => '' }
        : { ...question, applies: (answers) => answers['chain'] !== '' && (question.applies?.(answers) ?? true) },
    )
}

const chainNames: Readonly<Record<string, string>> = { 1: 'Ethereum', 324: 'zkSync Era', 8453: 'Base' }

const table: readonly Omit<Question, 'name'>[] = [
  {
    flags: '--cert <file>',
    text: 'TLS certificate with its chain, a PEM file (none: a proxy terminates TLS)',
    fallback: () => '',
  },
  {
    flags: '--key <file>',
    text: 'private key of the certificate, a PEM file',
    applies: ({ cert }) => cert !== '',
  },
  {
    flags: '--proxy <networks>',
    text: 'addresses of the proxy, comma separated',
    fallback: () => '127.0.0.1',
    applies: ({ cert }) => cert === '',
  },
  { flags: '--port <number>', text: 'port of the API', fallback: () => '8443' },
  {
    flags: '--admin-port <number>',
    text: 'port of the admin listener, on this machine only',
    fallback: () => '9464',
    isSilent: true,
  },
  {
    flags: '--database <url>',
    text: 'database: file:<directory> (embedded), or env:NAME of a variable with a postgres:// URL',
    fallback: () => 'file:.tallystick/db',
  },
  { part: 'chain', flags: '--chain <id>', text: 'chain id, such as 324' },
  {
    part: 'chain',
    flags: '--name <name>',
    text: 'name of the chain',
    fallback: ({ chain = '' }) => chainNames[chain] ?? `Chain ${chain}`,
  },
  { part: 'chain', flags: '--pool <address>', text: 'address of the pool contract' },
  {
    part: 'chain',
    flags: '--rpc <url>',
    text: 'JSON-RPC URL of the chain, or env:NAME or file:path of it (none: no check against the chain)',
    fallback: () => '',
  },
  {
    part: 'chain',
    flags: '--subgraph <source>',
    text: 'source of /data: "embedded" (indexed from the RPC), or the URL of a subgraph (none: no /data)',
    fallback: () => '',
  },
  {
    part: 'chain',
    flags: '--positions <address>',
    text: 'address of the position token',
    applies: ({ subgraph }) => subgraph === 'embedded',
  },
  {
    part: 'chain',
    flags: '--start-block <number>',
    text: 'block of the pool’s deployment, or an earlier one',
    fallback: () => '0',
    applies: ({ subgraph }) => subgraph === 'embedded',
  },
  {
    flags: '--signer <kind>',
    text: 'signer of the notes: "new" (creates a private key), env:NAME or file:path of a private key, keystore:path, the URL of a Web3Signer, aws-kms:<key id or ARN>, or gcp-kms:<key version>',
    fallback: () => 'new',
  },
  {
    flags: '--signer-password <reference>',
    text: 'password of the keystore, as env:NAME or file:path',
    applies: ({ signer = '' }) => signer.startsWith('keystore:'),
  },
  {
    flags: '--signer-address <address>',
    text: 'address of the Web3Signer’s key',
    applies: ({ signer = '' }) => /^https?:/i.test(signer),
  },
  {
    flags: '--signer-credentials <reference>',
    text: 'JSON key of a Google service account, as env:NAME or file:path (none: the account of this machine)',
    fallback: () => '',
    applies: ({ signer = '' }) => signer.startsWith('gcp-kms:'),
  },
  {
    flags: '--admin-token <reference>',
    text: 'admin token: "new" (creates one), env:NAME or file:path',
    fallback: () => 'new',
  },
  {
    flags: '--curve <source>',
    text: 'source of the coupons: "manual" (tallystick curve set), or "treasury" (US Treasury bills)',
    fallback: () => 'manual',
  },
  {
    flags: '--spread <bps>',
    text: 'basis points added to the bill rates',
    fallback: () => '0',
    applies: ({ curve }) => curve === 'treasury',
  },
  {
    part: 'log',
    flags: '--log <origin>',
    text: 'name of the public log, its host and path, such as notes.example/log; it never changes',
    fallback: () => '',
  },
  {
    part: 'log',
    flags: '--log-key <reference>',
    text: 'key of the public log: "new" (creates one), env:NAME or file:path',
    fallback: () => 'new',
    applies: ({ log }) => log !== '',
    isSilent: true,
  },
]

export const questions: readonly Question[] = table.map((question) => ({
  ...question,
  name: new Option(question.flags).attributeName(),
}))
