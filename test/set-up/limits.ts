/**
 * How long a test or a hook may take, in ms. It only ends what hangs: no test has a limit of its own. CI runs on machines
 * that may be many times slower than a developer's.
 */
export const hangMs = process.env['CI'] ? 600_000 : 60_000

/** A hook builds a release or an image, which takes minutes on any machine. */
export const hookHangMs = 1_200_000
