import type { Mapping } from '../src/index.ts'

export const schema: string

/** Stores every event, and a count that reveals lost or duplicated events. */
export function createMapping(address: string): Mapping
