import { userInfo } from 'node:os'

/** Returns the user of this process. Node throws if the user has no name, as in some containers. */
export function nameUser(readUser: () => { readonly username: string } = userInfo): string {
  try {
    return readUser().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
