import errors from '../../../../docs/errors.md'
import firstNote from './guides/first-note.md'
import goingLive from './guides/going-live.md'
import lend from './guides/lend.md'
import positions from './guides/positions.md'
import verify from './guides/verify.md'
import webhooks from './guides/webhooks.md'
import { readGuide } from './text/read-guide.ts'

/** Guides in the order in which an integrator needs them. */
export const guides = [
  readGuide('first-note', firstNote),
  readGuide('lend', lend),
  readGuide('verify', verify),
  readGuide('positions', positions),
  readGuide('webhooks', webhooks),
  readGuide('going-live', goingLive),
]

/** The repository's explanation of every error code. */
export const errorsMarkdown = errors
