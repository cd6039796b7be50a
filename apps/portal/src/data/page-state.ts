import type { RateAnswer } from '@tallystick/client'
import type { PortalInfo } from '@tallystick/core'
import type { Polled } from '@tallystick/ui'
import type { Session } from './session.ts'
import type { NotesOnPage } from './use-notes.ts'

/** What the page knows. Each view gets a part of it. */
export type PageState = {
  readonly info: PortalInfo
  /** Undefined without a valid key. */
  readonly session: Session | undefined
  readonly notes: NotesOnPage
  readonly rate: Polled<RateAnswer>
}
