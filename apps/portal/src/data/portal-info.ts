import type { PortalInfo } from '@tallystick/core'

/** Returns the ids of the chains that can be queried. */
export function listDataChains({ chains }: Pick<PortalInfo, 'chains'>): readonly number[] {
  return chains.filter(({ hasData }) => hasData).map(({ id }) => id)
}

export async function fetchPortalInfo(): Promise<PortalInfo> {
  const response = await fetch('/portal.json', { cache: 'no-store' })
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`)
  return (await response.json()) as PortalInfo
}
