/** Versions of Node that are tested: the lowest supported one, then the newest of each major version. CI tests the same. */
export const supportedVersions: readonly string[] = ['20.19.0', '22', '24', '26']
