import { fileURLToPath } from 'node:url'
import type { Queryable } from '@tallystick/database'
import type { Address } from 'viem'
import type { Config } from '../config.ts'
import { createReadLastPeriod } from './last-period.ts'
import { readPortalFiles } from './portal-files.ts'
import { describePortal, type PortalVisitor } from './portal-info.ts'
import type { PortalParts } from './portal-routes.ts'

/** What a service can be told of its web page. */
export type PortalOptions = {
  /** What a sandbox hands to whoever opens the page. Never from a configuration: a key is nobody else's to show. */
  readonly visitor?: PortalVisitor | undefined
  /** Where the built page is, if not where its build puts it. */
  readonly directory?: string | undefined
}

// Beside `src` and `dist`: the portal's own build puts it there.
const builtDirectory = fileURLToPath(new URL('../../portal/', import.meta.url))

/** The web page, if it was built, and what goes with it. */
export function openPortal(
  database: Queryable,
  {
    config,
    signer,
    options: { visitor, directory = builtDirectory } = {},
  }: {
    readonly config: Pick<Config, 'chains'>
    readonly signer: Address
    readonly options: PortalOptions | undefined
  },
): PortalParts {
  const chainIds = config.chains.map(({ id }) => id).sort((a, b) => a - b)
  return {
    files: readPortalFiles(directory),
    info: describePortal({ chains: config.chains, signer, visitor }),
    readLastPeriod: createReadLastPeriod(database, chainIds),
  }
}
