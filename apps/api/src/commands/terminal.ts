/** Process that a command runs in: its environment, streams and exit code. Tests inject their own. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stdout: NodeJS.WritableStream & {
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  }
  readonly stderr: NodeJS.WritableStream
  exitCode?: number | string | null | undefined
}
