import { userInfo } from 'node:os'

/** Who runs this process. A user of a container may be a number only, and Node throws where there is no name. */
export function nameUser(readUser: () => { readonly username: string } = userInfo): string {
  try {
    return readUser().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
