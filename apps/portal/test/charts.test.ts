// @module-tag slow

import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()

const phone = { viewport: { width: 320, height: 740 }, hasTouch: true, isMobile: true }

/** Returns what the label of the cursor covers: points, ticks, titles of axes, names of lines, or what is beside its chart. */
async function listCovered(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`(() => {
    const chart = document.querySelector(${JSON.stringify(selector)})
    const boxOf = (element) => element.getBoundingClientRect()
    const flag = boxOf(chart.querySelector('.chart-flag'))
    const whole = boxOf(chart.querySelector('.chart-box'))
    const covered = [...chart.querySelectorAll('circle, .tick, .axis-title, .steps-label')].filter((element) => {
      const { left, right, top, bottom } = boxOf(element)
      return left < flag.right && right > flag.left && top < flag.bottom && bottom > flag.top
    })
    const isOutside = flag.left < whole.left - 1 || flag.right > whole.right + 1
    return [...covered.map((element) => element.outerHTML), ...(isOutside ? ['outside the chart'] : [])]
  })()`)
}

async function openCurve(page: Page): Promise<Locator> {
  await page.locator('.notch').last().waitFor()
  await page.locator('.move').first().waitFor()
  return page.locator('.curve .chart')
}

const chosenTenor = (page: Page) => page.locator('.board-curve .is-chosen .tenor').innerText()

test('default: the axes of the curve are named, and its keys reach every point with tenor, date and coupon', async () => {
  const { page } = await shared.visit('/')
  const chart = await openCurve(page)
  expect(await chart.locator('.axis-title').allTextContents()).toEqual([
    'Coupon per 360-day year',
    'Days to maturity, logarithmic scale',
  ])
  const slider = page.getByRole('slider', { name: 'Maturity on the yield curve' })
  await slider.focus()
  await page.keyboard.press('Home')
  const reached: (string | null)[] = []
  for (const tenor of ['7', '14', '30', '60', '90', '180', '360']) {
    await expect.poll(() => chosenTenor(page)).toBe(tenor)
    reached.push(await slider.getAttribute('aria-valuetext'))
    expect([tenor, await listCovered(page, '.curve .chart')]).toEqual([tenor, []])
    await page.keyboard.press('ArrowRight')
  }
  expect(reached[0]).toMatch(/^7 days, matures 20 Nov 2026: 3\.69%, [+−]\d+ bps$/)
  expect(reached[6]).toMatch(/^360 days, matures 8 Nov 2027: 3\.40%, [+−]\d+ bps$/)
  expect(await page.locator('.chart-flag').innerText()).toMatch(/^360 days, matures 8 Nov 2027\n3\.40% [+−]\d+ bps$/)
  expect(await page.getByRole('radio', { name: '360', exact: true }).isChecked()).toBe(true)
  await shoot(page, 'curve-by-keyboard')
})

test('behavior: a row, a point and the calculator choose the same note, and the pointer previews without choosing', async () => {
  const { page } = await shared.visit('/')
  const chart = await openCurve(page)
  const slider = page.getByRole('slider', { name: 'Maturity on the yield curve' })
  await page.getByRole('cell', { name: '3.50%' }).click()
  await expect.poll(() => chosenTenor(page)).toBe('180')
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/^180 days/)
  // The rows are one group of radio buttons.
  await page.getByRole('radio', { name: '180 days' }).focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => chosenTenor(page)).toBe('90')
  await page.getByRole('radio', { name: '14', exact: true }).check()
  await expect.poll(() => chosenTenor(page)).toBe('14')
  await chart.locator('circle').first().hover()
  await expect.poll(() => chart.locator('.chart-flag').innerText()).toMatch(/^7 days/)
  expect(await chosenTenor(page)).toBe('14')
  await chart.locator('circle').first().click()
  await expect.poll(() => chosenTenor(page)).toBe('7')
  await page.mouse.move(0, 0)
  expect(await chart.locator('.chart-flag').innerText()).toMatch(/^7 days/)
})

test('behavior: past periods and days are chosen in the chart, by keyboard and in the table', async () => {
  const { page } = await shared.visit('/#/history')
  await expect.poll(() => page.locator('.steps svg').count()).toBe(2)
  expect(await page.locator('.steps .axis-title').allTextContents()).toEqual([
    'Coupon per 360-day year',
    'Period, New York time',
    'Floating rate, annualised',
    'Day, UTC',
  ])
  const [coupons, floating] = ['.history-panel:first-child .steps', '.history-panel:last-child .steps']
  await page.getByRole('rowheader', { name: '12 Nov 2026 18:00 to 24:00' }).click()
  const slider = page.getByRole('slider', { name: 'Period on the chart' })
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/^12 Nov 2026, 18:00 to 24:00 New York: 7 days 3\.\d\d%/)
  expect(await page.locator(`${coupons} .chart-flag`).innerText()).toBe('12 Nov 2026, 18:00 to 24:00 New York')
  const days = page.getByRole('slider', { name: 'Day on the chart' })
  for (const [keyed, chart] of [
    [slider, coupons],
    [days, floating],
  ] as const) {
    await keyed.focus()
    for (const key of ['ArrowLeft', 'Home', 'End']) {
      await page.keyboard.press(key)
      expect(await listCovered(page, chart)).toEqual([])
    }
  }
  expect(await page.locator('.history-table .is-chosen th').allInnerTexts()).toEqual([
    expect.stringContaining('13 Nov 2026'),
    '12 Nov 2026',
  ])
  expect(await page.locator(`${floating} .chart-flag`).innerText()).toMatch(/^12 Nov 2026 \(UTC\)\n\d+\.\d\d%$/)
})

test('behavior: on a phone a tap chooses a point, and the label covers nothing', async () => {
  const { page } = await shared.open(phone)
  await page.goto(`${shared.credentials.baseUrl}/`)
  const chart = await openCurve(page)
  for (const [index, tenor] of [
    [6, '360'],
    [0, '7'],
  ] as const) {
    await chart.locator('circle').nth(index).tap()
    await expect.poll(() => chosenTenor(page)).toBe(tenor)
    expect(await listCovered(page, '.curve .chart')).toEqual([])
  }
  await page.goto(`${shared.credentials.baseUrl}/#/history`)
  const steps = page.locator('.steps').first()
  await steps.locator('svg').waitFor()
  await steps.locator('.chart-box').tap({ position: { x: 60, y: 200 } })
  await expect.poll(() => steps.locator('.chart-flag').innerText()).not.toContain('13 Nov')
  expect(await listCovered(page, '.steps')).toEqual([])
  await shoot(page, 'chart-phone')
  await page.context().close()
})
