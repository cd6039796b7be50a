/** Abort reason of a request that timed out, as opposed to one whose caller disconnected. */
export const deadlineReached = Symbol('deadline reached')

/** Abort reason of a query that another source of the chain answered first. */
export const superseded = Symbol('superseded')
