/** What stays free for the admin listener, the database, RPCs, remote subgraphs and files. */
export const reservedFiles = 256
// Each idle connection over TLS takes some 50 KB. More than this is for the operator to want.
const connectionsMaxDefault = 10_000
// For a system that does not tell its limit. Most have at least 1,024.
const connectionsMaxUnknown = 1_024 - reservedFiles

/**
 * Chooses how many connections may be open so that descriptors do not run out, and says what is wrong with a configured
 * number that is too high for the limit of open files.
 */
export function chooseConnectionsMax({
  configured,
  openFileLimit,
}: {
  readonly configured: number | undefined
  readonly openFileLimit: number | undefined
}): { readonly max: number; readonly problem?: string | undefined } {
  if (openFileLimit === undefined) return { max: configured ?? connectionsMaxUnknown }
  // Of a limit too low for both, connections get half.
  const affordable = Math.max(openFileLimit - reservedFiles, Math.floor(openFileLimit / 2))
  if (configured === undefined) return { max: Math.min(affordable, connectionsMaxDefault) }
  if (configured <= affordable) return { max: configured }
  const problem =
    `listen.connectionsMax is ${configured}, but this process can open only ${openFileLimit} files and reserves ` +
    `${reservedFiles} of them. Raise the limit (LimitNOFILE=, ulimit -n) or set at most ${affordable}.`
  return { max: configured, problem }
}
