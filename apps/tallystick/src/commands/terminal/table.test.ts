import { listFailing } from '@tallystick/workbench/list-failing'
import { describe, expect, test } from 'vitest'
import { displayWidth, wrapText } from './display-width.ts'
import { chooseLayout, hasColour, paintStatus } from './layout.ts'
import { formatTable } from './table.ts'

const columns = ['ID', { heading: 'KIND', isOptional: true }, { heading: 'STATUS', paint: paintStatus }, 'LAST USED']
const rows = [
  ['key_4fH2kQ9xL0aB', 'live', 'active', '2026-11-16T12:00:00Z'],
  ['key_2', 'test', 'revoked', 'never'],
]
const plain = chooseLayout({} as NodeJS.WriteStream, { env: {}, color: false })
const at = (width: number) => ({ ...plain, columns: width })
const widest = (text: string) => Math.max(...text.split('\n').map(displayWidth))
const terminal = (env: Record<string, string> = {}, isTTY = true) => ({
  stream: { isTTY, columns: 40 } as unknown as NodeJS.WriteStream,
  env,
})

describe('width', () => {
  test('default: a pipe gets whole values in aligned columns, whatever their length', () => {
    const long = 'x'.repeat(500)
    expect(formatTable(['A', 'B'], [[long, '1']], plain)).toBe(`A${' '.repeat(499)}  B\n${long}  1`)
    expect(formatTable(columns, rows, plain)).toBe(
      [
        'ID                KIND  STATUS   LAST USED',
        'key_4fH2kQ9xL0aB  live  active   2026-11-16T12:00:00Z',
        'key_2             test  revoked  never',
      ].join('\n'),
    )
  })

  test('behavior: as a terminal narrows, cells break, optional columns go, and rows become lists', () => {
    expect(formatTable(columns, rows, at(53))).toBe(formatTable(columns, rows, plain))
    expect(formatTable(columns, rows, at(44))).toBe(
      [
        'ID                KIND  STATUS   LAST USED',
        'key_4fH2kQ9xL0aB  live  active   2026-11-16',
        '                                 T12:00:00Z',
        'key_2             test  revoked  never',
      ].join('\n'),
    )
    expect(formatTable(columns, rows, at(38))).toBe(
      [
        'ID                STATUS   LAST USED',
        'key_4fH2kQ9xL0aB  active   2026-11-16',
        '                           T12:00:00Z',
        'key_2             revoked  never',
        'Not shown: KIND. Use a wider terminal',
        'or --json.',
      ].join('\n'),
    )
    expect(formatTable(columns, rows.slice(1), at(20))).toBe(
      ['ID         key_2', 'KIND       test', 'STATUS     revoked', 'LAST USED  never'].join('\n'),
    )
  })

  test('behavior: at 21 to 80 columns nothing exceeds them and nothing is lost', async () => {
    const hostile = [['key_1', 'live', '漢字'.repeat(20), `${'a'.repeat(90)} 👩‍👩‍👧 é`]]
    const widths = Array.from({ length: 60 }, (_, index) => index + 21)
    const failing = await listFailing(widths, (width) => {
      const text = formatTable(columns, [...rows, ...hostile], at(width))
      expect(widest(text)).toBeLessThanOrEqual(width)
      const letters = text.replaceAll(/[^a漢字]/g, '')
      expect([letters.match(/漢/g)?.length, letters.match(/字/g)?.length]).toEqual([20, 20])
    })
    expect(failing).toEqual([])
  })

  test('behavior: wide characters, joined emoji and combining marks are aligned by the cells they take', () => {
    expect(['abc', '漢字', '👩‍👩‍👧', 'é', 'e\u0301', '\u200b', ''].map(displayWidth)).toEqual([3, 4, 2, 1, 1, 0, 0])
    expect(
      formatTable(
        ['NAME', 'X'],
        [
          ['漢字', '1'],
          ['ab', '2'],
        ],
        plain,
      ),
    ).toBe('NAME  X\n漢字  1\nab    2')
    expect(wrapText('漢字漢', 4)).toEqual(['漢字', '漢'])
    expect(wrapText('', 5)).toEqual([''])
  })

  test('error: a name cannot send commands to the terminal', () => {
    expect(formatTable(['NAME'], [['a\u001b[2Jb\nc\u202ed']], plain)).toBe('NAME\na\\u001b[2Jb\\u000ac\\u202ed')
  })
})

describe('colour', () => {
  test.each([
    ['a terminal', {}, true, true],
    ['a pipe', {}, false, false],
    ['NO_COLOR', { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR, which counts as not set', { NO_COLOR: '' }, true, true],
    ['TERM=dumb', { TERM: 'dumb' }, true, false],
    ['FORCE_COLOR in a pipe', { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
    ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ] as const)('default: %s', (_, env, isTTY, expected) => {
    expect(hasColour(terminal({}, isTTY).stream, env)).toBe(expected)
  })

  test('behavior: colours do not change the alignment, and --no-color removes them', () => {
    const { stream, env } = terminal()
    const painted = formatTable(columns, rows, { ...chooseLayout(stream, { env, color: true }), columns: 80 })
    expect(painted).toContain('\u001b[1mSTATUS\u001b[22m')
    expect(painted).toContain('\u001b[32mactive\u001b[39m   2026')
    expect(painted).toContain('\u001b[31mrevoked\u001b[39m  never')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours.
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(formatTable(columns, rows, plain))
    expect(chooseLayout(stream, { env, color: false })).toEqual({ ...plain, columns: 40 })
  })
})
