import { quote } from '@tallystick/base'
import { DOMParser, type Document, type Element, onWarningStopParsing } from '@xmldom/xmldom'
import { z } from 'zod'
import { TreasuryFeedError } from './feed-error.ts'

/** One day of the feed. */
export type FeedRow = {
  /** `2026-01-02`. */
  readonly date: string
  /** Values by column name, without empty and null ones. */
  readonly columns: ReadonlyMap<string, string>
}

const dataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices'
const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata'
const datePattern = /^(20\d\d-\d\d-\d\d)(?:T00:00:00(?:\.0+)?Z?)?$/

/**
 * Parses the rows of the Treasury's Atom feed, in its order. A feed may have no rows, as in the first days of a month.
 * Throws `TreasuryFeedError` for any other document.
 */
export function parseFeed(text: string): FeedRow[] {
  assertSmall(text)
  const { doctype, documentElement: root } = parseXml(text)
  if (doctype) throw wrongShape('it has a document type declaration')
  if (root?.localName !== 'feed') throw wrongShape(`its root is ${quote(root?.localName ?? '')}, not "feed"`)
  return childElements(root)
    .filter(({ localName }) => localName === 'entry')
    .map(parseEntry)
}

// A month has about 1,500 elements, one attribute for each, and three namespaces. The parser has a thread of
// its own. It takes 0.1 s for so many elements, but 41 s for 512 KB of nested namespaces, and 16 times as long for 2 MB.
const limits = [
  ['<', 20_000],
  ['=', 20_000],
  ['xmlns', 256],
] as const

function assertSmall(text: string): void {
  for (const [part, countMax] of limits) {
    let at = -1
    for (let count = 0; count <= countMax; count++) {
      at = text.indexOf(part, at + 1)
      if (at < 0) break
    }
    if (at >= 0) throw wrongShape(`it has more than ${countMax} times "${part}"`)
  }
}

function parseXml(text: string): Document {
  try {
    return new DOMParser({ onError: onWarningStopParsing }).parseFromString(text, 'text/xml')
  } catch (error) {
    throw new TreasuryFeedError({
      failure: 'malformed',
      message: 'The Treasury feed’s response is not well-formed XML.',
      cause: error,
    })
  }
}

function parseEntry(entry: Element): FeedRow {
  const content = childElements(entry).find(({ localName }) => localName === 'content')
  const properties = content && childElements(content).find(isNamed(metadataNamespace, 'properties'))
  if (!properties) throw wrongShape('an entry has no content/m:properties')
  const columns = new Map<string, string>()
  const seen = new Set<string>()
  for (const element of childElements(properties)) {
    const name = element.localName
    if (element.namespaceURI !== dataNamespace || !name) continue
    if (seen.has(name)) throw wrongShape(`a row has ${quote(name)} twice`)
    if (childElements(element).length > 0) throw wrongShape(`${quote(name)} of a row has elements`)
    seen.add(name)
    const value = element.textContent?.trim() ?? ''
    if (value !== '' && element.getAttributeNS(metadataNamespace, 'null') !== 'true') columns.set(name, value)
  }
  return { date: parseRowDate(columns.get('INDEX_DATE')), columns }
}

function parseRowDate(text: string | undefined): string {
  const [, date] = datePattern.exec(text ?? '') ?? []
  if (date && z.iso.date().safeParse(date).success) return date
  throw wrongShape(`a row has ${text === undefined ? 'no INDEX_DATE' : 'an INDEX_DATE that is not a date'}`)
}

function childElements(parent: Element): Element[] {
  const elements: Element[] = []
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (node.nodeType === node.ELEMENT_NODE) elements.push(node as Element)
  }
  return elements
}

function isNamed(namespace: string, name: string) {
  return ({ namespaceURI, localName }: Element) => namespaceURI === namespace && localName === name
}

function wrongShape(what: string): TreasuryFeedError {
  return new TreasuryFeedError({
    failure: 'wrong_shape',
    message: `The Treasury feed’s response is not the feed of bill rates: ${what}.`,
  })
}
