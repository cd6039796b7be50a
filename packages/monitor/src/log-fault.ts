import type { Finding } from './finding.ts'

/** Thrown if a log proves a fault and nothing that depends on it can be checked. */
export class LogFaultError extends Error {
  override readonly name = 'LogFaultError' as const
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

/** Thrown if a log does not serve a tile of a checkpoint that it serves. */
export class MissingTileError extends Error {
  override readonly name = 'MissingTileError' as const
  readonly path: string

  constructor(path: string) {
    super(`The log does not serve ${path}, although its checkpoint includes it.`)
    this.path = path
  }
}

/** Thrown if a log shows an older checkpoint than before. */
export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError' as const
}
