import { launchBrowser } from './launch-browser.ts'

// For CI: says which browser the tests would use. Exits with 1 if none starts.
const launched = await launchBrowser()
if (launched.browser) {
  console.log(`browser: ${launched.source}, version ${launched.browser.version()}`)
  await launched.browser.close()
} else {
  console.error(launched.reason)
  process.exitCode = 1
}
