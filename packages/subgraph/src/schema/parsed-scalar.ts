/**
 * The text PostgreSQL takes for a value and gives back for it (bytes as `\x…`), or why it is none, in the words Rust
 * has for it, since graph-node passes those on.
 */
export type ParsedScalar = { readonly text: string } | { readonly fault: string }
