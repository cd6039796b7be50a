const seconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }
// Longer ones would outlast the fault.
const forSecondsMax = 15

/** Returns alert rules with the time of a soak: a minute of a `for` or of a range lasts a second. */
export function scaleRules(rules: string): string {
  return rules
    .replaceAll(/^( +for: )(\d+)([mhd])$/gm, (_, start: string, count: string, unit: string) => {
      return `${start}${Math.min(forSecondsMax, toSoakSeconds(count, unit))}s`
    })
    .replaceAll(/\[(\d+)([mhd])\]/g, (_, count: string, unit: string) => `[${toSoakSeconds(count, unit)}s]`)
}

function toSoakSeconds(count: string, unit: string): number {
  return Math.round((Number(count) * (seconds[unit] ?? 0)) / 60)
}

/** Returns the names of the alerts in a rule file, in its order. */
export function listAlerts(rules: string): string[] {
  return [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name as string)
}
