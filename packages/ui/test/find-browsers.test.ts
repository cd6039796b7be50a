import { expect, test } from 'vitest'
import { type BrowserSearch, findBrowsers } from './find-browsers.ts'

/** A machine with the given executable files. */
function machine(files: readonly string[], search: Partial<BrowserSearch> = {}): BrowserSearch {
  return {
    env: { PATH: '/usr/local/bin:/usr/bin' },
    platform: 'linux',
    arch: 'arm64',
    isExecutable: (path) => files.includes(path),
    ...search,
  }
}

function sources(search: BrowserSearch): string[] {
  return findBrowsers(search).map(({ source }) => source)
}

test('default: CHROME_PATH excludes every other browser', () => {
  const env = { CHROME_PATH: '/my/chrome', PATH: '/usr/bin' }
  expect(findBrowsers(machine(['/my/chrome', '/usr/bin/chromium'], { env, arch: 'x64' }))).toEqual([
    { kind: 'executable', source: 'CHROME_PATH (/my/chrome)', path: '/my/chrome' },
  ])
})

test('error: a CHROME_PATH that is not executable is an error, although there is another browser', () => {
  const env = { CHROME_PATH: '/my/chrome', PATH: '/usr/bin' }
  expect(() => findBrowsers(machine(['/usr/bin/chromium'], { env }))).toThrow(
    'CHROME_PATH is "/my/chrome", which is not an executable file. Correct it or unset it.',
  )
})

test('behavior: an empty CHROME_PATH counts as unset', () => {
  const env = { CHROME_PATH: '', PATH: '/usr/bin' }
  expect(sources(machine(['/usr/bin/chromium'], { env }))).toEqual(['/usr/bin/chromium'])
})

test('default: linux x64 prefers the packaged Chromium, then the system, then Playwright’s channel', () => {
  const files = ['/usr/bin/google-chrome', '/usr/bin/chromium', '/opt/google/chrome/chrome']
  expect(sources(machine(files, { arch: 'x64' }))).toEqual([
    '@sparticuz/chromium',
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
    'Google Chrome',
  ])
})

test.each([
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
] as const)('behavior: %s %s never gets the packaged Chromium', (platform, arch) => {
  expect(findBrowsers(machine([], { platform, arch }))).toEqual([])
})

test('behavior: the name decides before the directory, and relative directories are ignored', () => {
  const files = ['/usr/local/bin/google-chrome-stable', '/usr/bin/chromium-browser', 'bin/chromium', 'chromium']
  const env = { PATH: 'bin::/usr/local/bin:/usr/bin' }
  expect(sources(machine(files, { env }))).toEqual(['/usr/bin/chromium-browser', '/usr/local/bin/google-chrome-stable'])
})

test('behavior: the headless shell comes before the other system browsers', () => {
  const files = ['/usr/local/bin/chromium', '/usr/bin/chromium-headless-shell']
  expect(sources(machine(files))).toEqual(['/usr/bin/chromium-headless-shell', '/usr/local/bin/chromium'])
})

test('behavior: macOS also has applications', () => {
  const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  const chromium = '/Applications/Chromium.app/Contents/MacOS/Chromium'
  expect(sources(machine([chrome, chromium], { platform: 'darwin' }))).toEqual([chrome, chromium])
  expect(sources(machine([chrome, chromium]))).toEqual([])
})

test('behavior: Windows has Playwright’s channel only', () => {
  const chrome = 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'
  const env = { PATH: 'C:\\Windows', PROGRAMFILES: 'C:\\Program Files' }
  expect(findBrowsers(machine([chrome], { platform: 'win32', arch: 'x64', env }))).toEqual([
    { kind: 'channel', source: 'Google Chrome', channel: 'chrome' },
  ])
})

test('behavior: a machine without a PATH and without a browser has an empty list', () => {
  expect(findBrowsers(machine([], { env: {} }))).toEqual([])
})
