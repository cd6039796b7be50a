/** Abort reason of a request that timed out, as opposed to one whose caller disconnected. */
export const deadlineReached = Symbol('deadline reached')
