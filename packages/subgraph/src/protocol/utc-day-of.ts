/** The protocol's days: whole ones since the epoch, in UTC. */
export function utcDayOf(unixSeconds: number): number {
  return Math.floor(unixSeconds / 86_400)
}
