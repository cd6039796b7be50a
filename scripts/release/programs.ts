/** Program that is published as a package of its own. */
export type Program = {
  /** Folder of the program in the repository. */
  readonly folder: string
  /** Text that the registry and the directory of the package show. */
  readonly readme: string
  /** Files of the repository for its users. */
  readonly extras: readonly string[]
  /** What the bundle finds by the name of a package of ours: the pages, the schemas, and the programs of its threads. */
  readonly parts: Readonly<Record<string, readonly string[]>>
  /** Bundles of the program and of its threads, by the built file that each starts with. */
  readonly entries: readonly string[]
  /** Installed packages that load files of their own, so that no bundle contains them. They are shipped in the package. */
  readonly shipped: readonly string[]
  /** Packages that npm installs beside it, because they have a file for each platform. */
  readonly installed: readonly string[]
}

const service = {
  parts: {
    service: ['config.schema.json', 'portal'],
    subgraph: ['src/protocol/schema.graphql'],
    gateway: ['dist/bundle'],
    issuer: ['dist/bundle'],
    database: ['dist/bundle'],
  },
  threads: [
    'packages/gateway/dist/public/query-thread-main.js',
    'packages/issuer/dist/treasury/parse-feed-main.js',
    'packages/database/dist/pglite/thread-main.js',
  ],
} as const

export const programs = {
  tallystick: {
    folder: 'apps/tallystick',
    readme: 'scripts/release/readme-tallystick.md',
    extras: ['caddy', 'compose', 'grafana', 'kubernetes', 'nginx', 'prometheus', 'systemd'].map(
      (name) => `deploy/${name}`,
    ),
    parts: service.parts,
    entries: ['apps/tallystick/dist/cli.js', ...service.threads],
    shipped: ['@electric-sql/pglite'],
    installed: [],
  },
  sandbox: {
    folder: 'apps/sandbox',
    readme: 'scripts/release/readme-sandbox.md',
    extras: [],
    parts: { ...service.parts, workbench: ['dist/bundle', 'dist/templates'] },
    entries: ['apps/sandbox/dist/main.js', ...service.threads, 'packages/workbench/dist/dev-chain/serve-dev-chain.js'],
    shipped: ['@electric-sql/pglite'],
    installed: ['@nomicfoundation/edr'],
  },
} as const satisfies Readonly<Record<string, Program>>
