// @module-tag slow

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()

/** Views of the page, each filled as a visitor would. */
const views: [path: string, fill: (page: Page) => Promise<void>, part?: string][] = [
  ['/', (page) => page.locator('.notch').last().waitFor()],
  [
    '/',
    async (page) => {
      await page.locator('.notch').last().waitFor()
      await page.getByRole('button', { name: 'change the API key' }).click()
      await page.locator('#api-key').waitFor()
    },
    '#key-panel',
  ],
  ['/history', (page) => page.locator('.steps svg').last().waitFor()],
  [
    '/wallet',
    async (page) => {
      await page.locator('.chip').first().click()
      await page.locator('.earnings').waitFor()
    },
  ],
  [
    '/verify',
    async (page) => {
      await page.getByRole('button', { name: 'Use a current note' }).click()
      await page.locator('.verdict').waitFor()
    },
  ],
  [
    '/explorer',
    async (page) => {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.locator('.run-facts').waitFor()
    },
  ],
]

test.each(views)(
  'behavior: axe finds nothing on %s, and nothing is wider than the screen',
  async (path, fill, part) => {
    const { page } = await shared.visit(path)
    await fill(page)
    expect(await findAxeFaults(page, part)).toEqual([])
  },
)
