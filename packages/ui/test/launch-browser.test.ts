import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { afterAll, expect, test } from 'vitest'
import { launchBrowser } from './launch-browser.ts'

const directory = mkdtempSync(join(tmpdir(), 'tallystick-browser-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('default: the browser of this machine renders a page', async (context) => {
  const launched = await launchBrowser()
  if (!launched.browser) return context.skip(launched.reason)
  const server = await startLocalServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<p>before</p><script>document.querySelector("p").textContent = "rendered"</script>')
  })
  try {
    const page = await launched.browser.newPage()
    await page.goto(`${server.url}/`)
    expect(await page.locator('p').innerText()).toBe('rendered')
  } finally {
    await launched.browser.close()
    await server.stop()
  }
})

test('error: a CHROME_PATH that is missing or a directory is rejected before anything starts', async () => {
  const missing = join(directory, 'missing')
  await expect(launchBrowser({ CHROME_PATH: missing })).rejects.toThrow(`CHROME_PATH is "${missing}", which is not`)
  await expect(launchBrowser({ CHROME_PATH: directory })).rejects.toThrow('which is not an executable file')
})

test('error: a CHROME_PATH that does not start is an error, not a reason to skip', async () => {
  const path = join(directory, 'broken')
  writeFileSync(path, '#!/bin/sh\necho "cannot open display" >&2\nexit 1\n')
  chmodSync(path, 0o755)
  await expect(launchBrowser({ CHROME_PATH: path })).rejects.toThrow(`CHROME_PATH (${path}) did not start`)
})
