/** Statement that a server ran, with all its calls. */
export type LoggedStatement = {
  readonly text: string
  readonly calls: number
  /** Highest total cost that the planner estimated. Undefined for a statement without a plan, such as `begin`. */
  readonly cost: number | undefined
  /** Median time of an execution in milliseconds, or undefined as for `cost`. */
  readonly ms: number | undefined
}

const mark = 'tallystick-log'
const settings = { shared_preload_libraries: 'auto_explain', log_line_prefix: `${mark} ` }
const begin = ["alter system set log_statement = 'all'", 'alter system set auto_explain.log_min_duration = 0']

/** Creates a log of the statements that a server runs, with their plans. For the options of `startPostgres`. */
export function createStatementLog() {
  let output = ''
  return {
    /** Members of the server's configuration. */
    settings,
    onOutput: (text: string) => {
      output += text
    },
    /** Statements that make the server log all statements from now on. They need a superuser. */
    begin: [...begin, 'select pg_reload_conf()'],
    /** Returns the statements that were logged, the most frequent first. */
    read: () => summarize(output),
  }
}

type Summary = { calls: number; readonly costs: number[]; readonly times: number[] }

function summarize(output: string): readonly LoggedStatement[] {
  const found = new Map<string, Summary>()
  const of = (text: string) => {
    const known = found.get(text) ?? { calls: 0, costs: [], times: [] }
    found.set(text, known)
    return known
  }
  for (const entry of output.split(new RegExp(`^${mark} `, 'm'))) {
    const [, called] = /^LOG: {2}(?:statement|execute [^:]*): (.*)/s.exec(entry) ?? []
    if (called !== undefined) of(simplify(called)).calls++
    const [, ms, text, cost] =
      /^LOG: {2}duration: ([\d.]+) ms {2}plan:\s+Query Text: (.*?)\n[^\n]*\(cost=[\d.]+\.\.([\d.]+) /s.exec(entry) ?? []
    if (text === undefined) continue
    const { costs, times } = of(simplify(text.replace(/\n\s*Query Parameters: [^\n]*$/, '')))
    costs.push(Number(cost))
    times.push(Number(ms))
  }
  return [...found]
    .map(([text, { calls, costs, times }]) => ({
      text,
      calls: Math.max(calls, costs.length),
      cost: costs.length > 0 ? Math.max(...costs) : undefined,
      ms: times.sort((a, b) => a - b)[Math.floor(times.length / 2)],
    }))
    .sort((a, b) => b.calls - a.calls)
}

function simplify(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
