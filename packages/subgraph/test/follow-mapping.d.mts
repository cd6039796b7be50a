import type { Mapping } from '../src/index.ts'

export const schema: string

/** Every event once, and a count that shows each one lost or doubled. */
export function createMapping(address: string): Mapping
