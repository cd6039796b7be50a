/**
 * How long a test or a hook may take, in ms. It only ends what hangs: no test has a limit of its own. CI runs on machines
 * that may be many times slower than a developer's.
 */
export const hangMs = process.env['CI'] ? 600_000 : 60_000

/** A hook starts whole sandboxes and browsers, which a busy machine delays more than a single test. */
export const hookHangMs = 2 * hangMs
