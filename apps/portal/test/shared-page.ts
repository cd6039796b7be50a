import { readFileSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { beforeAll, beforeEach, expect, inject, onTestFinished } from 'vitest'
import type { SharedPlace } from '../../../test/set-up/page.ts'
import { openVisit, type Visit } from './browser.ts'
import type { Credentials } from './start-sandbox.ts'

type Media = Parameters<Visit['page']['emulateMedia']>[0]

/**
 * Browser and sandbox that all test files share. The sandbox has two chains and began at 2026-11-13 12:00 New York. Other
 * files use it at the same time: only `chains.test.ts` changes the state of a chain, that of 8453. A test of another file
 * that depends on the limits or on the notes of 8453 reserves it.
 */
export type SharedPage = {
  /** Undefined if there is none. Tests then do not run, but hooks do. */
  readonly browser: Browser | undefined
  readonly credentials: Credentials
  /** Opens a path with a page that the tests of this file use in turn. Its data and settings are forgotten first. */
  visit(path: string, media?: Media): Promise<Visit>
  /** Opens another page, for example one with the size of a phone. It has a context of its own. */
  open(options?: BrowserContextOptions): Promise<Visit>
  /** Waits until no other file has reserved chain 8453, and reserves it until the current test is finished. */
  reserveSecondChain(): Promise<void>
}

/** Connects this file to the shared browser, or skips its tests with the reason why there is none. */
export function useSharedPage(): SharedPage {
  let browser: Browser | undefined
  let credentials: Credentials | undefined
  let reservation: string
  let desktop: Visit | undefined
  let skipReason: string | undefined
  beforeAll(async () => {
    const answer = await fetch(inject('sharedPageUrl'))
    if (!answer.ok) throw new Error(await answer.text())
    const place = (await answer.json()) as SharedPlace
    if (place.endpoint === undefined) {
      skipReason = place.reason
      return
    }
    credentials = JSON.parse(readFileSync(join(place.dir, 'credentials.json'), 'utf8'))
    reservation = join(place.dir, 'chain-8453-reserved')
    const connected = await chromium.connect(place.endpoint)
    browser = connected
    desktop = await openVisit(connected)
    return () => connected.close()
  })
  beforeEach((context) => context.skip(skipReason !== undefined, skipReason))
  return {
    get browser() {
      return browser
    },
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
    open: (options) => openVisit(browser as Browser, options),
    reserveSecondChain: async () => {
      await expect.poll(() => createDirectory(reservation), { timeout: 400_000, interval: 250 }).toBe(true)
      onTestFinished(() => rmdir(reservation))
    },
  }
}

/** Returns false if the directory exists. */
async function createDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
