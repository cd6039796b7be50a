import { accessSync, constants, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'
import { type Browser, type BrowserServer, type LaunchOptions, chromium as playwright } from 'playwright-core'
import { type BrowserCandidate, findBrowsers, howToGetBrowser } from './find-browsers.ts'

/** A running browser, or the reason why there is none. */
export type LaunchResult<Running = Browser> =
  | { readonly browser: Running; readonly source: string }
  | { readonly browser: undefined; readonly reason: string }

// Not those the packaged Chromium proposes: they are for functions in a cloud, run everything in one process, which
// ends with the first context that is closed, and switch off the very security these tests rely on.
const args = [
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // A system browser calls its vendor otherwise, which takes long on a closed network.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A page lives for seconds here, too short for optimized code to pay for itself.
  '--js-flags=--no-opt',
]

/**
 * Starts the first browser of `findBrowsers` that runs.
 *
 * Without one the tests that need it are skipped for the reason returned. With `TALLYSTICK_REQUIRE_BROWSER=1`, as in
 * CI, a missing browser is an error. A browser named by `CHROME_PATH` that does not start is an error always.
 */
export async function launchBrowser(env: NodeJS.ProcessEnv = process.env): Promise<LaunchResult> {
  return launchFirst(env, (options) => playwright.launch(options))
}

/** Starts a browser that several processes can connect to. */
export async function launchBrowserServer(): Promise<LaunchResult<BrowserServer>> {
  return launchFirst(process.env, (options) => playwright.launchServer(options))
}

type Start<Running> = (options: LaunchOptions) => Promise<Running>

async function launchFirst<Running>(env: NodeJS.ProcessEnv, start: Start<Running>): Promise<LaunchResult<Running>> {
  const candidates = findBrowsers({ env, platform: process.platform, arch: process.arch, isExecutable })
  const failures: string[] = []
  for (const candidate of candidates) {
    try {
      return { browser: await launch(candidate, start), source: candidate.source }
    } catch (error) {
      failures.push(`${candidate.source} did not start: ${(error as Error).message}`)
    }
  }
  const reason = ['No browser.', ...failures, howToGetBrowser].join(' ')
  if (env['CHROME_PATH'] || env['TALLYSTICK_REQUIRE_BROWSER'] === '1') throw new Error(reason)
  return { browser: undefined, reason }
}

async function launch<Running>(candidate: BrowserCandidate, start: Start<Running>): Promise<Running> {
  // Chromium's own sandbox does not work as root.
  const chromiumSandbox = process.getuid?.() !== 0
  const options: LaunchOptions = { args, chromiumSandbox, timeout: 300_000, ...(await locate(candidate)) }
  try {
    return await start(options)
  } catch (error) {
    // Containers and Ubuntu 24.04 deny it to other users too. These tests open only pages of this repository.
    if (!chromiumSandbox || !/sandbox|namespace/i.test((error as Error).message)) throw error
    console.warn(`${candidate.source} cannot use its sandbox here and is started without it.`)
    return start({ ...options, chromiumSandbox: false })
  }
}

async function locate(candidate: BrowserCandidate): Promise<LaunchOptions> {
  switch (candidate.kind) {
    case 'executable':
      return { executablePath: candidate.path }
    case 'channel':
      return { channel: candidate.channel }
    case 'packaged': {
      const load = await installPackages(fileURLToPath(new URL('chromium', import.meta.url)))
      const packaged: { executablePath(): Promise<string> } = load('@sparticuz/chromium')
      return { executablePath: await packaged.executablePath() }
    }
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return false
    throw error
  }
}
