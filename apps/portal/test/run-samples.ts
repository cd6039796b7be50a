import { execFile, spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { root } from '../../../test/set-up/start-sandbox.ts'

/** Environment variables beside the path of programs. */
export type SampleEnvironment = Readonly<Record<string, string>>

const run = promisify(execFile)

/** Runs curl commands in one shell, as they are. Returns the status and the body of each. */
export async function runCurls(
  sources: readonly string[],
): Promise<readonly { readonly status: number; readonly body: string }[]> {
  const home = await mkdtemp(join(tmpdir(), 'tallystick-curl-'))
  await writeFile(join(home, '.curlrc'), 'silent\nshow-error\nmax-time = 20\nwrite-out = "\\n--- %{http_code}\\n"\n')
  // One after the other, beside the streams, which take five seconds. Each writes to a file of its own.
  const script = sources
    .map((source, index) => `(\n${source}\n) > ${index}.txt 2>&1${source.startsWith('curl -N ') ? ' &' : ''}`)
    .toSorted((a, b) => Number(b.endsWith('&')) - Number(a.endsWith('&')))
  const cat = sources.map((_, index) => `cat ${index}.txt; echo '=== end'`)
  const env = { PATH: process.env['PATH'], CURL_HOME: home }
  const { stdout } = await run('sh', ['-c', [...script, 'wait', ...cat].join('\n')], {
    cwd: home,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
    .split('=== end\n')
    .slice(0, -1)
    .map((text) => {
      const [body = '', status = ''] = text.split('\n--- ')
      return { status: Number.parseInt(status, 10), body }
    })
}

/** Runs programs in one process of Node, one after the other. Returns the lines that each logged. */
export async function runPrograms(
  sources: readonly string[],
  env: SampleEnvironment,
): Promise<readonly (readonly string[])[]> {
  const logger = (index: number) =>
    `const console = { log: (...values) => globalThis.record(${index}, values.map(String).join(' ')) };\n`
  const entry = `const lines = ${JSON.stringify(sources.map(() => []))}
globalThis.record = (index, line) => lines[index].push(line)
${sources.map((_, index) => `await import('sample:${index}').catch((error) => record(${index}, 'FAILED ' + error.stack))`).join('\n')}
process.on('beforeExit', () => { process.stdout.write(JSON.stringify(lines)); process.exit() })`
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    plugins: [
      {
        name: 'samples',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^sample:/ }, ({ path }) => ({ path, namespace: 'samples' }))
          onLoad({ filter: /.*/, namespace: 'samples' }, ({ path }) => {
            const index = Number(path.slice('sample:'.length))
            return { contents: logger(index) + sources[index], loader: 'ts', resolveDir: root }
          })
        },
      },
    ],
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['src'],
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(root)})`,
    },
    write: false,
  })
  const file = join(await mkdtemp(join(tmpdir(), 'tallystick-programs-')), 'samples.mjs')
  await writeFile(file, outputFiles[0]!.text)
  const options = {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  }
  const { stdout } = await run(process.execPath, [file], options)
  return JSON.parse(stdout)
}

/** Returns whether there is Python 3.9 or later, which the examples need. */
export async function hasPython(): Promise<boolean> {
  const check = 'import sys; sys.exit(sys.version_info < (3, 9))'
  return run('python3', ['-c', check]).then(
    () => true,
    () => false,
  )
}

const runner = `
import contextlib, io, json, sys, traceback
job = json.load(sys.stdin)
outputs = []
for source in job["sources"]:
    text = io.StringIO()
    scope = {"__name__": "sample"}
    with contextlib.redirect_stdout(text):
        try:
            exec(compile(source, "sample", "exec"), scope)
            for name, arguments in job["calls"]:
                if name in scope:
                    headers, body, secret = arguments
                    print(scope[name](headers, body.encode(), secret))
        except Exception:
            print("FAILED " + traceback.format_exc())
    outputs.append(text.getvalue())
print(json.dumps(outputs))
`

/** Call of a function that an example defines. */
export type PythonCall = readonly [name: string, args: readonly [headers: object, body: string, secret: string]]

/** Runs programs in one process of Python, one after the other. Returns what each printed. */
export async function runPython(
  { sources, calls }: { readonly sources: readonly string[]; readonly calls: readonly PythonCall[] },
  env: SampleEnvironment,
): Promise<readonly string[]> {
  const child = spawn('python3', ['-c', runner], { env: { PATH: process.env['PATH'], ...env } })
  const chunks: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  child.stderr.on('data', (chunk) => errors.push(chunk))
  child.stdin.end(JSON.stringify({ sources, calls }))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`python3 ended with ${code}: ${Buffer.concat(errors)}`)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** Runs a program of Python that does not end by itself, until it has printed a line. Returns what it printed. */
export async function runPythonStream(source: string, env: SampleEnvironment): Promise<string> {
  const child = spawn('python3', ['-u', '-c', source], { env: { PATH: process.env['PATH'], ...env } })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let printed = ''
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('\n')) resolve()
      })
    }
    void closed.then(() => resolve())
  })
  child.kill()
  await closed
  return printed
}
