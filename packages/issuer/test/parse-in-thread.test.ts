import { expect, test } from 'vitest'
import { parseFeed } from '../src/treasury/parse-feed.ts'
import { parseInThread } from '../src/treasury/parse-in-thread.ts'

const { signal } = new AbortController()
const feed = `<feed xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
  xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><entry><content><m:properties>
  <d:INDEX_DATE>2026-01-02T00:00:00</d:INDEX_DATE><d:ROUND_B1_CLOSE_4WK_2>3.69</d:ROUND_B1_CLOSE_4WK_2>
</m:properties></content></entry></feed>`

test('default: returns the rows of the document', async () => {
  const rows = await parseInThread(feed, signal)
  expect(rows).toEqual(parseFeed(feed))
  expect(rows[0]?.columns.get('ROUND_B1_CLOSE_4WK_2')).toBe('3.69')
})

test('error: a document that is not the feed fails with the reason', async () => {
  await expect(parseInThread('<a>', signal)).rejects.toMatchObject({ name: 'TreasuryFeedError', failure: 'malformed' })
  await expect(parseInThread('<a/>', signal)).rejects.toMatchObject({
    failure: 'wrong_shape',
    message: expect.stringContaining('its root is "a"'),
  })
})

test('behavior: an abort ends the thread', async () => {
  const abort = new AbortController()
  const parsed = parseInThread(feed, abort.signal)
  abort.abort()
  await expect(parsed).rejects.toMatchObject({ failure: 'malformed', cause: { name: 'AbortError' } })
})
