/** Returns the protocol's day of an instant: whole UTC days since the epoch. */
export function utcDayOf(unixSeconds: number): number {
  return Math.floor(unixSeconds / 86_400)
}
