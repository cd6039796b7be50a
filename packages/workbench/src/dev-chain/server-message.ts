/** Line that the process of a development chain writes to its standard output, as JSON. */
export type ServerMessage =
  /** Share of the journal that is replayed, from 0 to 1. */
  | { readonly progress: number; readonly url?: undefined }
  /** The chain is ready at this URL. */
  | { readonly url: string; readonly progress?: undefined }

/** Exit code for a journal that cannot be used. */
export const journalExitCode = 3
