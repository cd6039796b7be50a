/** Versions of Node that are tested: the lowest supported one, then the newest of each major version. CI tests the same. */
export const supportedVersions: readonly string[] = ['20.19.0', '22', '24', '26']

/** Arguments of `npm test` on every version: all tests but those that start whole sandboxes and browsers. */
export const testArguments: readonly string[] = ['--project', 'unit', '--project', 'service']
