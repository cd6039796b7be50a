import { posix } from 'node:path'

/** A browser that may start here. `source` says in messages where it comes from. */
export type BrowserCandidate =
  | { readonly kind: 'executable'; readonly source: string; readonly path: string }
  | { readonly kind: 'packaged'; readonly source: string }
  | { readonly kind: 'channel'; readonly source: string; readonly channel: 'chrome' }

/** The machine as the look-up sees it. */
export type BrowserSearch = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly arch: string
  readonly isExecutable: (path: string) => boolean
}

export const howToGetBrowser =
  'Install Chromium or Google Chrome (Debian: apt-get install chromium-headless-shell), or set CHROME_PATH to the executable of one.'

/**
 * Returns the browsers to try, the preferred one first. An empty list means that the machine has none.
 *
 * `CHROME_PATH` excludes all others. Throws if it names no executable file.
 */
export function findBrowsers(search: BrowserSearch): BrowserCandidate[] {
  const named = search.env['CHROME_PATH']
  if (named) {
    if (search.isExecutable(named)) return [{ kind: 'executable', source: `CHROME_PATH (${named})`, path: named }]
    throw new Error(`CHROME_PATH is "${named}", which is not an executable file. Correct it or unset it.`)
  }
  return [...packaged(search), ...system(search), ...channels(search)]
}

/** The package of `chromium/` holds a binary for linux x64 and unpacks it on every machine, also where it cannot run. */
function packaged({ platform, arch }: BrowserSearch): BrowserCandidate[] {
  if (platform !== 'linux' || arch !== 'x64') return []
  return [{ kind: 'packaged', source: '@sparticuz/chromium' }]
}

function system({ env, platform, isExecutable }: BrowserSearch): BrowserCandidate[] {
  if (platform === 'win32') return []
  const directories = (env['PATH'] ?? '').split(':').filter((directory) => posix.isAbsolute(directory))
  // The headless shell is the same engine and takes half the processor time.
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const onPath = names.flatMap((name) => directories.map((directory) => posix.join(directory, name)))
  const applications = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  const paths = platform === 'darwin' ? [...onPath, ...applications] : onPath
  return paths.filter(isExecutable).map((path) => ({ kind: 'executable', source: path, path }))
}

/** Where Playwright looks for `channel: 'chrome'`. On macOS that is one of the applications above. */
function channels({ env, platform, isExecutable }: BrowserSearch): BrowserCandidate[] {
  const folders = [env['LOCALAPPDATA'], env['PROGRAMFILES'], env['PROGRAMFILES(X86)']]
  const windowsPaths = folders.flatMap((folder) =>
    folder ? [`${folder}\\Google\\Chrome\\Application\\chrome.exe`] : [],
  )
  const paths = platform === 'win32' ? windowsPaths : platform === 'linux' ? ['/opt/google/chrome/chrome'] : []
  if (!paths.some(isExecutable)) return []
  return [{ kind: 'channel', source: 'Google Chrome', channel: 'chrome' }]
}
