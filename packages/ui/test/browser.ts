import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { waitOptions } from '@tallystick/workbench/wait-options'
import type { Browser, BrowserContextOptions, Download, Page, Request } from 'playwright-core'
import { root } from '../../../test/set-up/start-sandbox.ts'

/** Page of a new visitor, and all URLs it requested. */
export type Visit = {
  readonly page: Page
  readonly requested: readonly string[]
  readonly bytes: () => Promise<number>
  /** Leaves the page and forgets its data and settings, so that another visitor can use it. */
  readonly reset: () => Promise<void>
}

const colorScheme = 'light'
// The browser draws no frames of animations, and an element has its new colour at once.
const reducedMotion = 'reduce'

export async function openVisit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    timezoneId: 'Asia/Tokyo',
    locale: 'en-GB',
    colorScheme,
    reducedMotion,
    viewport: { width: 1280, height: 900 },
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(waitOptions.timeout)
  const requested: string[] = []
  const finished: Request[] = []
  context.on('request', (request) => requested.push(request.url()))
  context.on('requestfinished', (request) => finished.push(request))
  // Read only here, because a closed page no longer has its sizes.
  const bytes = async () => {
    const sizes = await Promise.all(finished.map((request) => request.sizes()))
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
  }
  const reset = async () => {
    await page.unrouteAll()
    await context.setOffline(false)
    if (page.url() !== 'about:blank') await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await context.clearCookies()
    await page.goto('about:blank')
    await page.emulateMedia({ colorScheme, reducedMotion })
  }
  return { page, requested, bytes, reset }
}

/** Returns the text of a saved file. A browser in another process has no path of it here. */
export async function readDownload(download: Download): Promise<string> {
  return text(await download.createReadStream())
}

/** Saves a screenshot if `TALLYSTICK_SCREENSHOTS` is set. Each takes up to 1 s. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env['TALLYSTICK_SCREENSHOTS']) return
  await page.screenshot({ path: join(root, 'apps/portal/screenshots', `${name}.png`), fullPage: true })
}
