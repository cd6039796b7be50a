import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Load, measureLoad } from './load.ts'
import { pinTo } from './pin.ts'

/** Whether `wrk` is installed. */
export const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/**
 * Measures the peak rate of a GET on open connections, with `wrk` if it is installed. `wrk` needs a third of the CPU time of
 * our own generator. On two cores this decides whether the server or the client is measured.
 */
export async function measurePeak({
  headers,
  path,
  ...load
}: Omit<Load, 'request'> & { readonly path: string; readonly headers: Readonly<Record<string, string>> }) {
  const lines = Object.entries(headers)
  if (!hasWrk) {
    const head = ['host: localhost', ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n')
    const { rate } = await measureLoad({ ...load, request: `GET ${path} HTTP/1.1\r\n${head}\r\n\r\n` })
    return rate
  }
  // In a file, because other users can read the arguments of a process.
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-wrk-'))
  const script = join(directory, 'headers.lua')
  writeFileSync(script, lines.map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`).join('\n'))
  const { port, ca, seconds, connections = 32 } = load
  const url = `${ca === undefined ? 'http' : 'https'}://localhost:${port}${path}`
  const [command, ...commandLine] = pinTo(1, ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url])
  const { stdout } = await promisify(execFile)(command, commandLine).finally(() =>
    rmSync(directory, { recursive: true, force: true }),
  )
  const rate = Number(/^Requests\/sec:\s+([\d.]+)$/m.exec(stdout)?.[1])
  if (!(rate > 0) || /^\s*(Non-2xx|Socket errors)/m.test(stdout)) throw new Error(`wrk failed:\n${stdout}`)
  return rate
}

function quote(text: string): string {
  return JSON.stringify(text)
}
