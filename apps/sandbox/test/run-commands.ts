import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Command = {
  readonly source: string
  /** What is written below it: a status, and the code of an error. */
  readonly status?: number | undefined
  readonly code?: string | undefined
}

export type Outcome = {
  readonly status: number
  /** Without the headers that `-i` shows. */
  readonly body: string
  readonly output: string
}

/** The commands of a Markdown file's `sh` blocks, each with the comment below it. A command ends where its quotes do. */
export function parseCommands(markdown: string): readonly Command[] {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks.flatMap((block) => {
    const commands = block.split(/^(?=curl |export )/m)
    return commands.map((text) => {
      const [, source = '', status, code] = /^([\s\S]*?)\n(?:# (\d{3})(?: (\w+))?\n)?$/.exec(text) ?? []
      return { source, code, ...(status !== undefined && { status: Number(status) }) }
    })
  })
}

/**
 * Runs commands as they are, one after the other in one shell, as a reader would. What curl tells beside its output it is
 * told to by a configuration file.
 */
export async function runCommands(
  sources: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<readonly Outcome[]> {
  const home = await mkdtemp(join(tmpdir(), 'tallystick-curl-'))
  await writeFile(join(home, '.curlrc'), `silent\nshow-error\nmax-time = 20\nwrite-out = "${statusMark}%{http_code}"\n`)
  const script = sources.map((source) => `${source}\necho '${endMark}'`).join('\n')
  const shell = spawn('sh', ['-s'], { cwd, env: { PATH: process.env['PATH'], CURL_HOME: home, ...env } })
  const chunks: string[] = []
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  shell.stdin.end(script)
  await new Promise((resolve) => shell.once('close', resolve))
  await rm(home, { recursive: true, force: true })
  return chunks.join('').split(`${endMark}\n`).slice(0, -1).map(readOutcome)
}

const endMark = '--- end of a command ---'
const statusMark = '--- status '

function readOutcome(text: string): Outcome {
  const [output = '', status] = text.split(statusMark)
  const [, body = output] = /^HTTP\/[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(output) ?? []
  return { status: Number.parseInt(status ?? '0', 10), body, output }
}
