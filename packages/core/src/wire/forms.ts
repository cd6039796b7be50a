import { z } from 'zod'

/** Unix seconds up to 2^64, as a string: not every language has 64-bit integers. */
export const secondsForm = z.string().regex(/^\d{1,20}$/, 'must be Unix seconds as a decimal string')
/** Basis points up to 2^256, as on the chain, as a string. */
export const bpsForm = z.string().regex(/^\d{1,78}$/, 'must be basis points as a decimal string')
/** Chain id in responses. */
export const chainIdForm = z.string().regex(/^[1-9]\d{0,15}$/, 'must be a chain id as a decimal string')
/** Chain id in `/data`, where the specification uses numbers. */
export const chainNumberForm = z.int().positive()

/** Unit of rates. */
export const bpsUnit = 'basis points per 360-day year'
/** Unit of timestamps. */
export const secondsUnit = 'Unix seconds'
