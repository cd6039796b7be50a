import { z } from 'zod'

/** Unix seconds; up to 2^64, as text because not every language has integers of that size. */
export const secondsForm = z.string().regex(/^\d{1,20}$/, 'must be Unix seconds as a decimal string')
/** Basis points; up to 2^256, as the chain has them. */
export const bpsForm = z.string().regex(/^\d{1,78}$/, 'must be basis points as a decimal string')
/** A chain id in answers. */
export const chainIdForm = z.string().regex(/^[1-9]\d{0,15}$/, 'must be a chain id as a decimal string')
/** A chain id in `/data`, where the specification has numbers. */
export const chainNumberForm = z.int().positive()

export const bpsUnit = 'basis points per 360-day year'
export const secondsUnit = 'Unix seconds'
