/** The reason a query's signal is aborted with when its time is over, as opposed to nobody waiting for it any more. */
export const deadlineReached = Symbol('the deadline was reached')
