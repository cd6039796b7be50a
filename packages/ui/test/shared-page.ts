import { beforeAll, inject } from 'vitest'
import { type Credentials, readCredentials } from '../../../test/set-up/start-sandbox.ts'
import type { Visit } from './browser.ts'
import { type UsedBrowser, useBrowser } from './use-browser.ts'

type Media = Parameters<Visit['page']['emulateMedia']>[0]

/**
 * Browser and sandbox that all test files share. The sandbox has two chains and began at 2026-11-13 12:00 New York. Other
 * files use it at the same time: no test changes the state of a chain. A file that does starts a sandbox of its own.
 */
export type SharedPage = UsedBrowser & {
  readonly credentials: Credentials
  /** Opens a path with a page that the tests of this file use in turn. Its data and settings are forgotten first. */
  visit(path: string, media?: Media): Promise<Visit>
}

/** Connects this file to the shared browser and sandbox, or skips its tests with the reason why there is no browser. */
export function useSharedPage(): SharedPage {
  const used = useBrowser()
  let credentials: Credentials | undefined
  let desktop: Visit | undefined
  beforeAll(async () => {
    if (!used.browser) return
    const answer = await fetch(inject('sharedPageUrl'))
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    credentials = readCredentials(text)
    desktop = await used.open()
  })
  return {
    get browser() {
      return used.browser
    },
    open: used.open,
    get credentials() {
      return credentials as Credentials
    },
    visit: async (path, media = {}) => {
      const visit = desktop as Visit
      await visit.reset()
      await visit.page.emulateMedia(media)
      await visit.page.goto(`${(credentials as Credentials).baseUrl}${path}`)
      return visit
    },
  }
}
