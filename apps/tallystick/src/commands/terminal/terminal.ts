/** Process that a command runs in: its environment, streams and exit code. Tests inject their own. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  exitCode?: number | string | null | undefined
}

type TerminalStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Configuration file, and the environment its secrets are read from. */
export type ConfigSource = { readonly path: string; readonly env: Terminal['env'] }
