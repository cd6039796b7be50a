/** A resource of a log. Without `bytes` the log does not serve it, maybe because it withholds it for now. */
export type LogResource = { readonly bytes?: Uint8Array | undefined; readonly isWithheld?: boolean | undefined }

/** Transport to a log. */
export type LogSource = {
  /** Reads a resource by its path below the log's URL. No valid resource has more than `bytesMax`. */
  read(path: string, bytesMax: number): Promise<LogResource>
}

/** Thrown if a log does not serve a tile of a checkpoint that it serves. A copy may get it later. */
export class MissingTileError extends Error {
  override readonly name = 'MissingTileError' as const
  readonly path: string

  constructor(path: string) {
    super(`The log does not serve ${path}, although its checkpoint includes it.`)
    this.path = path
  }
}

/** Thrown if a tile or a bundle is not the one that a checkpoint includes. */
export class WrongTileError extends Error {
  override readonly name = 'WrongTileError' as const
  readonly path: string

  constructor(path: string, problem = 'is not what the checkpoint includes') {
    super(`${path} ${problem}. Tiles and entries never change, so the copy is damaged or was altered.`)
    this.path = path
  }
}
