import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { errors, type Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const usualWidths: readonly number[] = [320, 390, 1440]

/** Returns everything that axe finds in an element, in both themes and three widths, as one line per fault. */
export async function findAxeFaults(page: Page, selector = ':root', widths = usualWidths): Promise<readonly string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`)
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    if (!(await fits(page, width))) {
      faults.push(`${width} px: the page is wider than the screen, because of ${await findWidest(page)}`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    for (const fault of await runAxe(page, selector)) faults.push(`${width} px, light: ${fault}`)
    // The dark theme changes colours and nothing else, and each element is in the narrowest or in the widest layout.
    if (width !== widths[0] && width !== widths.at(-1)) continue
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const fault of await runAxe(page, selector, ['color-contrast'])) faults.push(`${width} px, dark: ${fault}`)
  }
  return faults
}

/** Returns whether the page becomes as narrow as the screen. Charts follow it a frame later. A busy browser skips frames. */
function fits(page: Page, width: number): Promise<boolean> {
  const options = { timeout: 60_000, polling: 50 }
  return page.waitForFunction(`document.documentElement.scrollWidth <= ${width}`, undefined, options).then(
    () => true,
    (error) => {
      if (error instanceof errors.TimeoutError) return false
      throw error
    },
  )
}

/** Returns the element that ends furthest to the right. */
function findWidest(page: Page): Promise<string> {
  return page.evaluate(`[...document.querySelectorAll('body *')]
    .map((element) => ({ html: element.outerHTML.slice(0, 160), right: element.getBoundingClientRect().right }))
    .reduce((widest, one) => (one.right > widest.right ? one : widest)).html`)
}

function runAxe(page: Page, selector: string, runOnly?: readonly string[]): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...(runOnly && { runOnly }) })
  return page.evaluate(`axe.run('${selector}', ${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => [id, html.slice(0, 160), failureSummary].join(' | '))))`)
}
