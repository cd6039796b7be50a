import type { OfferedNote } from '@tallystick/client'
import { formatRate } from '@tallystick/ui'

type Terms = Pick<OfferedNote, 'chainId' | 'tenorDays' | 'coupon' | 'validBefore'>

export type FollowedTerms = {
  /** Note that the form shows. */
  readonly note?: Terms | undefined
  /** Note of an earlier period that this one replaced by itself, until the visitor chooses another one. */
  readonly replaced?: Terms | undefined
}

/** Returns the terms after the form shows a note. Without one, the next note is compared with the last one. */
export function followTerms(known: FollowedTerms, note: Terms | undefined): FollowedTerms {
  const last = known.note
  if (!note || note === last) return known
  if (!last || last.chainId !== note.chainId) return { note }
  if (note.validBefore > last.validBefore) return { note, replaced: last }
  return note.tenorDays === last.tenorDays ? { ...known, note } : { note }
}

/** Describes the change of the terms from one period to another. */
export function describeChange(replaced: Terms, { tenorDays, coupon }: Terms): string {
  const now = `${days(tenorDays)} ${tenorDays === 1 ? 'pays' : 'pay'} ${formatRate(coupon)} per year`
  if (replaced.tenorDays !== tenorDays)
    return `No note of ${days(replaced.tenorDays)} is on offer in this period. The form shows another one: ${now}.`
  if (replaced.coupon === coupon) return `The last note expired. ${now}, as before.`
  return `The last note expired. ${now} now, and ${formatRate(replaced.coupon)} before.`
}

function days(count: number): string {
  return `${count} ${count === 1 ? 'day' : 'days'}`
}
