import { Notice } from '@tallystick/ui'
import { describeAct, describeState } from '../sent/describe-sent.ts'
import { type SentStore, useSent } from '../sent/sent-store.ts'
import { isPending } from '../sent/sent-transaction.ts'
import { type Activity, hasUnknownResult } from './activity.ts'
import { WalletErrorNotice } from './wallet-picker.tsx'

type FailureNoticeProps = {
  readonly activity: Extract<Activity<unknown>, { readonly phase: 'failed' }>
  readonly sent: SentStore
}

/** Renders why an action failed. If its transaction was sent without a known result, it says the result once it is known. */
export function FailureNotice({ activity, sent }: FailureNoticeProps) {
  const { error, hash } = activity
  const found = useSent(sent).find((one) => one.hash !== undefined && one.hash === hash?.toLowerCase())
  if (!found || isPending(found) || !hasUnknownResult(activity)) return <WalletErrorNotice error={error} />
  const { label, tone, text = '' } = describeState(found.state)
  return <Notice tone={tone} title={`${label}: ${describeAct(found.act)}`} text={text} />
}
