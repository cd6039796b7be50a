import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { NewFile } from './build-files.ts'
import { invalidConfig } from './invalid-config.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Writes new files for their owner alone, then runs `verify`. If one exists, cannot be written, or `verify` throws, all
 * are removed. Nothing waits meanwhile, so a signal comes before the first file or after the last one.
 */
export function writeFiles(files: readonly NewFile[], verify: () => void): void {
  const undo: (() => void)[] = []
  const ignore = () => undefined
  for (const signal of signals) process.on(signal, ignore)
  try {
    for (const file of files) writeNewFile(file, undo)
    verify()
  } catch (error) {
    for (const step of undo.toReversed()) step()
    throw error
  } finally {
    for (const signal of signals) process.off(signal, ignore)
  }
}

function writeNewFile({ path, content }: NewFile, undo: (() => void)[]): void {
  try {
    const directory = dirname(path)
    if (!existsSync(directory)) {
      mkdirSync(directory, { mode: 0o700 })
      undo.push(() => rmdirSync(directory))
    }
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
    undo.push(() => rmSync(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw invalidConfig(
      code === 'EEXIST'
        ? `${path} exists and was not changed. Remove it, or use it: --help names the options. Nothing was written.`
        : `${path} cannot be written (${code}). Create its directory, or choose another with --config. Nothing was written.`,
    )
  }
}

/** Throws if a file exists, before any question is asked. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return
  throw invalidConfig(
    `${path} exists and is not changed. Choose another file with --config, or add a chain or the public log to this one with --add chain or --add log.`,
  )
}
