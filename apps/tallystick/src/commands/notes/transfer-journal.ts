import { type ClaimPlace, type ExportReport, exportClaims, type ImportReport, importClaims } from '@tallystick/issuer'
import { loadConfig } from '@tallystick/service'
import type { Terminal } from '../terminal/terminal.ts'

/** Exports what the signer of a configuration file signed. */
export function exportFrom(
  config: string,
  { file, from, env }: { readonly file: string; readonly from: ClaimPlace } & Pick<Terminal, 'env'>,
): Promise<ExportReport> {
  return exportClaims(loadConfig(config, { env, secrets: 'optional' }).signer, { file, from })
}

/** Imports into one place, or into each that the configuration file has. */
export function importInto(
  config: string,
  { file, into, env }: { readonly file: string; readonly into: ClaimPlace | undefined } & Pick<Terminal, 'env'>,
): Promise<ImportReport> {
  const { signer } = loadConfig(config, { env, secrets: 'optional' })
  const all = signer.protection ? (['journal', 'protection'] as const) : (['journal'] as const)
  return importClaims(signer, { file, into: into ? [into] : all })
}
