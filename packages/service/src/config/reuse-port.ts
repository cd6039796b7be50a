/** Returns why several processes cannot listen on one port here, or undefined if they can. */
export function findReusePortProblem({
  version,
  platform,
}: Pick<NodeJS.Process, 'version' | 'platform'>): string | undefined {
  // The kernels of these do not distribute connections.
  if (platform === 'darwin' || platform === 'win32') {
    return `cannot be used on ${platform === 'darwin' ? 'macOS' : 'Windows'}. Give each replica a port of its own, behind a load balancer`
  }
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  const isSupported = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)
  return isSupported ? undefined : `needs Node 22.12 or later. This is ${version}. Update Node, or remove it`
}
