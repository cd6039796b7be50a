import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { beforeAll, beforeEach, inject } from 'vitest'
import type { SharedBrowser } from '../../../test/set-up/browser.ts'
import { openVisit, type Visit } from './browser.ts'

/** Browser that all test files share. */
export type UsedBrowser = {
  /** Undefined if there is none. Tests then do not run, but hooks do. */
  readonly browser: Browser | undefined
  /** Opens a page in a context of its own, for example one with the size of a phone. */
  open(options?: BrowserContextOptions): Promise<Visit>
}

/** Connects this file to the shared browser, or skips its tests with the reason why there is none. */
export function useBrowser(): UsedBrowser {
  let browser: Browser | undefined
  let skipReason: string | undefined
  beforeAll(async () => {
    const answer = await fetch(inject('sharedBrowserUrl'))
    if (!answer.ok) throw new Error(await answer.text())
    const shared = (await answer.json()) as SharedBrowser
    if (shared.endpoint === undefined) {
      skipReason = shared.reason
      return
    }
    const connected = await chromium.connect(shared.endpoint)
    browser = connected
    return () => connected.close()
  })
  beforeEach((context) => context.skip(skipReason !== undefined, skipReason))
  return {
    get browser() {
      return browser
    },
    open: (options) => openVisit(browser as Browser, options),
  }
}
