// Characters that terminals draw over two cells (Unicode Standard Annex 11, Wide and Fullwidth).
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{20000}-\u{3fffd}]/u
const ascii = /^[\x20-\x7e]*$/
const segmenter = new Intl.Segmenter()

/** Returns the number of cells that a text without control characters takes on a terminal. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length
  return splitGraphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0)
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/** Breaks a text into lines of at most `width` cells: between words, after commas and slashes, else anywhere. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of splitPieces(text).flatMap((whole) => cutPiece(whole, width))) {
    if (line !== '' && displayWidth((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += piece
  }
  return [...lines, line.trimEnd()]
}

/** Splits a text where a line may end. An instant such as 2026-11-16T12:00:00Z may break before its time. */
export function splitPieces(text: string): string[] {
  return text.split(/(?<=[ ,;/?&])|(?<=\d{4}-\d\d-\d\d)(?=T\d\d:)/)
}

/** Makes control characters and changes of direction visible, so that a name cannot command the terminal. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function cutPiece(piece: string, width: number): string[] {
  if (displayWidth(piece.trimEnd()) <= width) return [piece]
  const parts = ['']
  for (const grapheme of splitGraphemes(piece)) {
    const last = parts.at(-1) as string
    if (last !== '' && displayWidth(last) + graphemeWidth(grapheme) > width) parts.push(grapheme)
    else parts[parts.length - 1] = last + grapheme
  }
  return parts
}

function splitGraphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function graphemeWidth(grapheme: string): number {
  if (wide.test(grapheme)) return 2
  return /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme) ? 0 : 1
}
