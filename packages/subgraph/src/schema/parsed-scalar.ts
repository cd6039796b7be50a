/**
 * Text that PostgreSQL accepts and returns for a value (bytes as `\x…`), or why the value is invalid. The faults are
 * Rust's messages, because graph-node shows them.
 */
export type ParsedScalar = { readonly text: string } | { readonly fault: string }
