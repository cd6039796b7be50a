import { findJson } from '@tallystick/chain'
import { z } from 'zod'
import { TreasuryFeedError } from './feed-error.ts'
import { type DocumentSource, fetchDocument } from './fetch-document.ts'

/** The Secured Overnight Financing Rate of a day. */
export type Sofr = {
  readonly date: string
  /** Percent per 360-day year. */
  readonly percent: number
}

const sofrFeed: DocumentSource = {
  name: 'SOFR feed',
  setting: 'curve.plausibility.url',
  accept: 'application/json',
  // One rate has about 300 bytes.
  bytesMax: 64 * 1024,
}

// SOFR has been between 0.01 and 5.4 percent. A rate far outside is a misplaced decimal point.
const responseSchema = z.object({
  refRates: z.array(z.object({ effectiveDate: z.iso.date(), percentRate: z.number().min(-5).max(25) })).min(1),
})

/** Fetches the newest SOFR from the New York Fed. Throws `TreasuryFeedError`. */
export async function fetchSofr(
  url: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Sofr> {
  const { text } = await fetchDocument(new URL(url), { source: sofrFeed, timeoutMs, signal })
  const { data } = responseSchema.safeParse(findJson(text))
  if (!data) {
    throw new TreasuryFeedError({
      failure: 'wrong_shape',
      message: 'The SOFR feed’s response has no effectiveDate with a percentRate between -5 and 25.',
    })
  }
  const [newest] = data.refRates.toSorted((a, b) => (a.effectiveDate < b.effectiveDate ? 1 : -1))
  const { effectiveDate, percentRate } = newest as (typeof data.refRates)[number]
  return { date: effectiveDate, percent: percentRate }
}
