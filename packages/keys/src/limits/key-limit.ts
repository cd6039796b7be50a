import type { RateWindow } from '@tallystick/base'
import type { KeyLimits } from '../api-key.ts'

/** All limits of a key as one. */
export type KeyLimit = Pick<RateWindow, 'policy' | 'take'>

/** Creates the limit of a key, or undefined if it has none. */
export type CreateLimit = (id: string, limits: KeyLimits) => KeyLimit | undefined
