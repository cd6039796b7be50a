import type { Whoami } from '@tallystick/core'
import type { AdminApi } from '../api/admin-api.ts'

/** A token that the service accepts, and what it may do. */
export type Session = { readonly api: AdminApi; readonly whoami: Whoami }
