import { periodAt } from '@tallystick/core'
import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { createCommand, parseOptions } from './options.ts'

const argv = (...options: string[]) => ['node', 'main.ts', ...options]

test('default: options that are not given are undefined or have their default', () => {
  expect(parseOptions(argv('--dir', '/somewhere'))).toEqual({
    port: 8443,
    dir: '/somewhere',
    command: 'npx tallystick',
  })
})

test.each(['tallystick-sandbox', 'tallystick-sandbox.js'])(
  'behavior: %s does not send its user to the registry',
  (name) => {
    expect(parseOptions(['node', `/usr/bin/${name}`]).command).toBe('tallystick')
  },
)

test('behavior: the example of the help is valid, 5 s before an 18:00 New York boundary', () => {
  const [instant] = /\d{4}-\S+T\S+[+-]\d\d:\d\d/.exec(createCommand().helpInformation()) as RegExpExecArray
  const { at } = parseOptions(argv('--at', instant))
  const boundary = BigInt(at! / 1000) + 5n
  expect(periodAt(boundary - 1n).end).toBe(boundary)
  expect(periodAt(boundary).start).toBe(boundary)
  const newYork = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'America/New_York' })
  expect(newYork.format(Number(boundary) * 1000)).toBe('18:00:00')
})

test('behavior: the message about an invalid instant has the example of the help', () => {
  const [instant] = /\d{4}-\S+T\S+[+-]\d\d:\d\d/.exec(createCommand().helpInformation()) as RegExpExecArray
  expect(messageAbout('--at', '2026-11-01T17:59:55')).toContain(`such as ${instant}.`)
})

test.each(['', ' '])('error: --dir %j is rejected, because it would be the current directory', (given) => {
  expect(messageAbout('--dir', given)).toContain('Give the path of a directory.')
})

describe('--chains', () => {
  test.each([
    ['1', 1],
    ['2', 2],
  ])('behavior: accepts %s', (given, chains) => {
    expect(parseOptions(argv('--chains', given)).chains).toBe(chains)
  })

  test.each(['0', '3', '02', 'two', ''])('error: rejects "%s"', (given) => {
    expect(messageAbout('--chains', given)).toContain('Give 1 or 2.')
  })
})

function messageAbout(...options: string[]): string {
  try {
    createCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .parse(argv(...options))
  } catch (error) {
    if (error instanceof CommanderError) return error.message
    throw error
  }
  throw new Error(`${options.join(' ')} was accepted.`)
}
