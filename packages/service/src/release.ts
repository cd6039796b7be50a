/** Release of this program: the version in package.json. A test compares them. */
export const release = '0.3.0'
