import type { AdminRole } from '@tallystick/core'

export const viewNames = ['status', 'curve', 'keys', 'webhooks', 'audit'] as const
export type ViewName = (typeof viewNames)[number]

/** What a token may do in a view. The admin listener decides; the console only shows what it would accept. */
export type Access = 'none' | 'read' | 'change'

const roles: Readonly<Record<ViewName, AdminRole | 'any'>> = {
  status: 'any',
  curve: 'curve',
  keys: 'keys',
  webhooks: 'hooks',
  audit: 'all',
}

export function accessOf(view: ViewName, own: readonly AdminRole[]): Access {
  const needed = roles[view]
  if (needed === 'any') return 'read'
  if (own.includes('all') || own.includes(needed)) return 'change'
  return own.includes('view') ? 'read' : 'none'
}
