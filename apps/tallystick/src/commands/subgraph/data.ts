import { countOf } from '@tallystick/base/pure'
import type { Command } from 'commander'
import type { Comparison } from '../../compare/compare-sources.ts'
import type { PairResult, RunComparisonOptions } from '../../compare/run-comparison.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain, wholeNumber } from '../options.ts'
import type { Style } from '../terminal/layout.ts'
import { createOutput, exitCodes } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

type CompareCommandOptions = CommonOptions &
  Pick<RunComparisonOptions, 'chain' | 'queries' | 'block' | 'url'> & { readonly seed?: number | undefined }

export function addDataCommand(program: Command, terminal: Terminal): void {
  const data = program.command('data').description('compare the subgraphs of a chain')
  addExamples(data, 'data compare --chain 324')
  addCommonOptions(
    data.command('compare'),
    'data compare --chain 324',
    'data compare --chain 324 --queries 1000 --seed 7 --block 5184123',
    'data compare --chain 324 --url https://indexer.example/subgraphs/name/tallystick --json',
  )
    .description('send the same random queries to the subgraphs of a chain and list differences')
    .requiredOption('--chain <id>', 'chain whose subgraphs are compared', parseChain)
    .option('--queries <number>', 'number of queries, up to 100000', wholeNumber(1, 100_000), 200)
    .option(
      '--seed <number>',
      'number that the queries are generated from (default: a random one)',
      wholeNumber(0, 2 ** 31 - 1),
    )
    .option('--block <number>', 'block to compare at (default: the newest that both have)', wholeNumber(0, 2 ** 31 - 1))
    .option(
      '--url <url>',
      'subgraph to compare with: a URL, env:NAME or file:path (default: those of the configuration)',
    )
    .action(async (options: CompareCommandOptions, command: Command) => {
      const { runComparison } = await import('../../compare/run-comparison.ts')
      const { randomInt } = await import('node:crypto')
      const url = options.url === undefined ? undefined : await readUrl(options.url, { terminal, command })
      const seed = options.seed ?? randomInt(2 ** 31)
      const output = createOutput(terminal, options)
      const { config, chain, queries, block } = options
      const report = reportTo(terminal, options)
      const results = await runComparison({ config, chain, queries, seed, block, url, env: terminal.env, report })
      output.document({ chain, seed, comparisons: results.map(describeResult) })
      for (const result of results) output.text(formatResult(result, { seed, style: output.layout.style }))
      terminal.exitCode = exitCodeOf(results)
    })
}

/** As `diff`: 1 for differences, 2 if something could not be compared. */
function exitCodeOf(results: readonly PairResult[]): number {
  if (results.some(({ comparison }) => comparison.problem === undefined && comparison.differing > 0)) {
    return exitCodes.failed
  }
  return results.some(({ comparison }) => comparison.problem !== undefined) ? exitCodes.usage : exitCodes.done
}

/** Creates the function that shows the progress, on a terminal only. */
function reportTo({ stderr }: Terminal, { json }: CommonOptions): (text: string | undefined) => void {
  if (json || !stderr.isTTY) return () => undefined
  return (text) => stderr.write(`\r\u001b[K${text ?? ''}`)
}

/** Reads a URL. The message does not contain it, because it may contain a key. */
async function readUrl(
  text: string,
  { terminal, command }: { readonly terminal: Terminal; readonly command: Command },
): Promise<string> {
  const { createUrlSchema } = await import('../url-option.ts')
  const parsed = createUrlSchema(terminal.env).safeParse(text)
  return parsed.success
    ? parsed.data
    : command.error(`error: --url: ${parsed.error.issues.map(({ message }) => message).join(', ')}`)
}

function describeResult({ sources, comparison }: PairResult) {
  if (comparison.problem !== undefined) return { sources, problem: comparison.problem }
  const { block, queries, rejected, differing, listed } = comparison
  const { number, commonNumber, commonHash } = block
  return {
    sources,
    block: number,
    common: { number: commonNumber, hash: commonHash },
    queries,
    rejected,
    differing,
    differences: listed,
  }
}

function formatResult(
  { sources, comparison }: PairResult,
  { seed, style }: { readonly seed: number; readonly style: Style },
): string {
  const names = sources.join(' and ')
  if (comparison.problem !== undefined) return `${style.red('NOT COMPARED')}  ${names}: ${comparison.problem}`
  const { block, queries, rejected, differing } = comparison
  const hash = `both have block ${block.commonNumber} with the hash ${block.commonHash}`
  const verdict = differing === 0 ? style.green('no differences') : style.red(`${differing} with DIFFERENCES`)
  return [
    `${names}, at block ${block.number} (${hash})`,
    `${countOf(queries, 'query', 'queries')} with the seed ${seed}, ${rejected} rejected by both: ${verdict}`,
    ...formatDifferences(comparison, sources),
  ].join('\n')
}

function formatDifferences(
  { listed, differing }: Extract<Comparison, { readonly problem?: undefined }>,
  [first, second]: PairResult['sources'],
): readonly string[] {
  const lines = listed.flatMap(({ query, differences }) => [
    '',
    query,
    ...differences.flatMap(({ path, values }) => [
      `  ${path}`,
      `    ${first}: ${values[0]}`,
      `    ${second}: ${values[1]}`,
    ]),
  ])
  const left = differing - listed.length
  return left > 0 ? [...lines, '', `and ${left} more queries`] : lines
}
