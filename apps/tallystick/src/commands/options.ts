import { type Command, InvalidArgumentError, Option } from 'commander'

export type CommonOptions = {
  readonly config: string
  readonly json: boolean
  /** False with --no-color, which is an option of the program. */
  readonly color?: boolean
}

/** Adds the options that every command has, and examples of its use. */
export function addCommonOptions(command: Command, ...lines: readonly string[]): Command {
  return addExamples(command, ...lines)
    .option('--config <file>', 'configuration file', 'tallystick.json')
    .option('--json', 'print JSON instead of text', false)
}

/** Creates an option whose values the help lists and the shell completes. The parser of the value checks them. */
export function optionWithValues(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description)
  option.argChoices = [...values]
  return option
}

/** Creates the option of how long an old secret is valid beside a new one. */
export function graceOption(description: string): Option {
  const byDefault = parseDuration('24h')
  return new Option('--grace <duration>', `${description}: 0, 90s, 30m, 24h, 7d, or seconds`)
    .argParser(parseDuration)
    .default(byDefault, formatDuration(byDefault))
}

/** Creates a parser of whole numbers in decimal digits, without leading zeros. */
export function wholeNumber(min: number, max: number, fault = `Give a whole number from ${min} to ${max}.`) {
  return (value: string): number => {
    if (/^(0|[1-9]\d{0,9})$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    throw new InvalidArgumentError(fault)
  }
}

export function parseList(value: string): string[] {
  const items = value.split(',').map((item) => item.trim())
  if (items.some((item) => item === '')) throw new InvalidArgumentError('Give names, comma separated.')
  return items
}

export function parseRpm(value: string): number | 'unlimited' {
  if (value === 'unlimited') return value
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Give a whole number above zero, or "unlimited".')
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Parses a duration such as 90s, 30m, 24h, 7d or, in seconds, 86400. Returns seconds. */
export function parseDuration(value: string): number {
  const match = /^(\d{1,7})([smhd]?)$/.exec(value)
  if (!match) throw new InvalidArgumentError('Give seconds, or a number and a unit, such as 90s, 30m, 24h or 7d.')
  return Number(match[1]) * (unitSeconds[match[2] || 's'] as number)
}

/** Formats a duration for `parseDuration`, in hours, minutes or seconds. */
export function formatDuration(seconds: number): string {
  const unit = ['h', 'm'].find((name) => seconds > 0 && seconds % (unitSeconds[name] as number) === 0) ?? 's'
  return `${seconds / (unitSeconds[unit] as number)}${unit}`
}

/** Parses an ISO 8601 instant. A date is the start of that day, UTC. */
export function parseInstant(value: string): string {
  const [, date, time] = instantForm.exec(value) ?? []
  if (date && isDate(date)) return time ? value : `${date}T00:00:00Z`
  throw new InvalidArgumentError('Give a date such as 2027-01-01, or an instant such as 2027-01-01T12:00:00Z.')
}

const instantForm =
  /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/

/** Returns whether a date exists. `Date` takes 2027-02-29 for the next day. */
function isDate(date: string): boolean {
  const instant = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date)
}

/** Parses a chain id. Rejects a second one: the command would ignore the first. */
export function parseChain(value: string, previous?: number): number {
  if (previous !== undefined) throw new InvalidArgumentError('Give one chain, and run the command once for each chain.')
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Give a chain id, such as 324.')
}

/** Parses where signed notes are recorded. */
export function parsePlace(value: string): 'journal' | 'protection' {
  if (value === 'journal' || value === 'protection') return value
  throw new InvalidArgumentError('Give journal or protection.')
}

/** Adds examples to the help of a command. Each is the command line after `tallystick`. A test parses all of them. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', () => {
    const title = command.createHelp().styleTitle(lines.length === 1 ? 'Example:' : 'Examples:')
    return ['', title, ...lines.map((line) => `  $ ${`tallystick ${line}`.trim()}`)].join('\n')
  })
}
