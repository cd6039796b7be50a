import type { Terminal } from './terminal.ts'

type Paint = (text: string) => string

/** Colours and weights of text. Without colour each returns its text unchanged. */
export type Style = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>>

/** How text is laid out. */
export type Layout = {
  /** Width of the terminal in characters. Undefined if the output is not a terminal: then no line is broken. */
  readonly columns?: number | undefined
  readonly style: Style
}

type OutputStream = Terminal['stdout'] | Terminal['stderr']

// Width of a terminal that does not report one.
const columnsDefault = 80

const plainStyle: Style = createStyle(() => (text) => text)

// Select Graphic Rendition (ECMA-48 §8.3.117): the code that begins an attribute, and the code that ends it.
const colourStyle: Style = createStyle(
  (begin, end) => (text) => (text === '' ? '' : `\u001b[${begin}m${text}\u001b[${end}m`),
)

/** Returns the layout for a stream: colour and width of a terminal, plain text for a file or a pipe. */
export function chooseLayout(
  stream: OutputStream,
  { env, color }: { readonly env: Terminal['env']; readonly color: boolean },
): Layout {
  const style = color && hasColour(stream, env) ? colourStyle : plainStyle
  return { style, columns: stream.isTTY ? stream.columns || columnsDefault : undefined }
}

/** Returns whether a stream gets colours: https://no-color.org, FORCE_COLOR as in Node, otherwise a capable terminal. */
export function hasColour(stream: OutputStream, env: Terminal['env']): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}

/** Colours a status by its meaning. Other words stay plain. */
export function paintStatus(text: string, style: Style): string {
  if (/^(active|enabled|ok|delivered|genuine|usable)\b/i.test(text)) return style.green(text)
  if (/^(failing|waiting|pending|retrying)\b/i.test(text)) return style.yellow(text)
  return /^(revoked|disabled|failed|expired|not genuine|dropped|given up)\b/i.test(text) ? style.red(text) : text
}

function createStyle(create: (begin: number, end: number) => Paint): Style {
  return {
    bold: create(1, 22),
    dim: create(2, 22),
    red: create(31, 39),
    green: create(32, 39),
    yellow: create(33, 39),
    cyan: create(36, 39),
  }
}
